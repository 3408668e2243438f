import { isLoopback } from '../base/net.ts'
import { placeAt } from '../dashboard/connect/place.ts'
import { type Mount, mountLazily } from '../http/mount.ts'
import type { App } from './app.ts'
import { addressOf } from './serve.ts'

/** The pages of signing in to servers; from now on browsers come back to this gateway. */
export function mountConnect(app: App): Mount & { listenAt(port: number): void } {
  const mount = mountLazily(async () => {
    const { createConnectPages } = await import('../dashboard/connect/create-connect-pages.ts')
    return createConnectPages(app)
  })
  return {
    ...mount,
    listenAt(port) {
      const { host } = app.config.settings.listen
      // Bound to all addresses, it is at least reached from this machine.
      const name = isLoopback(host) ? host : '127.0.0.1'
      app.people.signIns.place = placeAt(publicUrl(app) ?? addressOf(name, port))
    },
  }
}

function publicUrl(app: App): string | undefined {
  return app.config.settings.listen.publicUrl
}
