import { Observer } from '../dashboard/observer.ts'
import type { Serving } from '../dashboard/sources.ts'
import { type Mount, mountLazily } from '../http/mount.ts'
import type { App } from './app.ts'

/** The API of the dashboard. Calls are counted from now on; the rest is loaded when first asked for. */
export function mountDashboard(app: App, serving: Serving): Mount {
  const observer = new Observer()
  const unsubscribe = observer.follow(app.feed)
  const mount = mountLazily(async () => {
    const { createDashboard } = await import('../dashboard/create-dashboard.ts')
    return createDashboard({ sources: app, serving, observer })
  })
  return {
    fetch: mount.fetch,
    close() {
      unsubscribe()
      mount.close()
    },
  }
}
