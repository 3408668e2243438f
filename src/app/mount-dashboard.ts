import type { Dashboard } from '../dashboard/create-dashboard.ts'
import { Observer } from '../dashboard/observer.ts'
import type { Serving } from '../dashboard/sources.ts'
import type { Mount } from '../http/server.ts'
import { createStaticSite } from '../http/static-site.ts'
import { packageFile } from '../base/package-files.ts'
import type { App } from './app.ts'

export const DASHBOARD_API = '/api/dashboard'

/** Where the build puts the pages. */
const PAGES = packageFile('dist/web')

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Portolan</title>
<h1>Portolan is running; its dashboard is not built</h1>
<p>Run <code>npm run build</code> in the folder of Portolan, then load this page again.</p>
<p>The MCP endpoint and <a href="/health">/health</a> work without it.</p></html>
`

export interface MountedDashboard {
  readonly api: Mount
  readonly pages: Mount
  close(): void
}

/** The files of the pages. */
export function dashboardPages(): Mount {
  return { prefix: '/', ...createStaticSite(PAGES, NOT_BUILT) }
}

/** The pages at `/` and the API behind them. Calls are counted from now on; the rest is loaded when first asked for. */
export function mountDashboard(app: App, serving: Serving): MountedDashboard {
  const observer = new Observer()
  const unsubscribe = observer.follow(app.feed)
  let opening: Promise<Dashboard> | undefined

  async function open(): Promise<Dashboard> {
    const { createDashboard } = await import('../dashboard/create-dashboard.ts')
    return createDashboard({ sources: app, serving, observer })
  }

  return {
    api: {
      prefix: DASHBOARD_API,
      async handle(request, response, url) {
        opening ??= open()
        await (await opening).handle(request, response, url)
      },
    },
    pages: dashboardPages(),
    close() {
      unsubscribe()
      void opening?.then((dashboard) => dashboard.close())
    },
  }
}
