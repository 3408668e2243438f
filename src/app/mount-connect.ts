import { isLoopback } from '../base/net/net.ts'
import { placeAt } from '../dashboard/connect/place.ts'
import { type Mount, mountLazily } from '../http/mount.ts'
import type { App } from './app.ts'

/** The pages of signing in to servers; loaded when somebody first does. */
export function mountConnect(app: App): Mount {
  return mountLazily(async () => {
    const { createConnectPages } = await import('../dashboard/connect/create-connect-pages.ts')
    return createConnectPages(app)
  })
}

/** From now on browsers come back to this gateway: to its public address, or to this machine. */
export function serveSignIns({ people, config }: App, addressAt: (host: string) => string): void {
  const { host, publicUrl } = config.settings.listen
  // Bound to all addresses, it is at least reached from this machine.
  people.signIns.place = placeAt(publicUrl ?? addressAt(isLoopback(host) ? host : '127.0.0.1'))
}
