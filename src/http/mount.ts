import type { HttpBindings } from '@hono/node-server'
import { Lazy } from '../base/flow/lazy.ts'

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
  const opening = new Lazy(open)
  return {
    fetch: async (request, env) => (await opening.get()).fetch(request, env),
    close: () => void opening.made().then((mount) => mount?.close()),
  }
}
