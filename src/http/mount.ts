import type { HttpBindings } from '@hono/node-server'

/** The Hono environment of a request: Node's own request and response. */
export interface SiteEnv {
  readonly Bindings: HttpBindings
}

/** A part of the site that is opened and closed on its own. */
export interface Mount {
  readonly fetch: (request: Request, env: HttpBindings) => Response | Promise<Response>
  close(): void
}

/** Opens a part of the site at its first request: most gateways are never asked for most parts. */
export function mountLazily(open: () => Promise<Mount>): Mount {
  let opening: Promise<Mount> | undefined
  return {
    async fetch(request, env) {
      opening ??= open().catch((error: unknown) => {
        // The next request tries again.
        opening = undefined
        throw error
      })
      return (await opening).fetch(request, env)
    },
    close() {
      opening?.then((mount) => mount.close()).catch(() => undefined)
    },
  }
}
