import { askClient } from '../gateway/questions/ask-client.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Project } from '../protocol/service.ts'
import type { Line } from './connections/line.ts'
import type { Scope } from './connections/scopes.ts'
import type { Link, LinkEvents } from './link.ts'
import type { KnownListing } from './listing/known-listing.ts'

export const UPDATED = 'notifications/resources/updated'
const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/
/** What names a thing by an id of the server, and so may concern clients other than the one that called. */
const BY_ID = /^notifications\/(resources\/updated|tasks(\/status)?)$/

/** A connection as its events see it. */
export interface Opened {
  readonly line: Line
  readonly scope: Scope
  /** Who watches on it; one that neither a session owns nor all share stands in for the shared one. */
  readonly key: string
}

export interface LinkEventsParts {
  readonly known: Pick<KnownListing, 'sawQuestion' | 'refresh'>
  /** Where work is done when no client says otherwise. */
  readonly project: () => Promise<Project>
  readonly live: () => Link | undefined
  /** Tells all clients what concerns no call of one of them. */
  readonly emit: (method: string, params: JsonObject) => void
  /** The server has confirmed what is watched on this connection. */
  readonly acknowledged: (link: Link) => void
  readonly renewed: (link: Link) => void
  readonly log: (line: string) => void
}

/** What becomes of the messages that a server sends by itself. */
export function createLinkEvents(parts: LinkEventsParts): LinkEvents {
  const { known, project, live, emit, acknowledged, renewed, log } = parts
  return {
    request: async (method, params, { signal, origin, id }) => {
      if (method === 'ping') return {}
      known.sawQuestion()
      return askClient(await origin(), { method, params, signal, project, id })
    },
    notification: (method, params, origin) => {
      const link = live()
      if (LIST_CHANGED.test(method) && link) known.refresh(link).catch(() => undefined)
      else if (BY_ID.test(method)) emit(method, params)
      else if (method === 'notifications/subscriptions/acknowledged') {
        if (link) acknowledged(link)
      } else if (!method.startsWith('notifications/subscriptions/')) {
        if (origin) origin.notify(method, params)
        else emit(method, params)
      }
    },
    renewed: () => {
      const link = live()
      if (link) renewed(link)
    },
    log,
  }
}
