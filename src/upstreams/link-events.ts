import { askClient } from '../gateway/questions/ask-client.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Project } from '../protocol/service.ts'
import type { Line } from './connections/line.ts'
import type { Scope } from './connections/scopes.ts'
import type { Link, LinkEvents } from './link.ts'
import type { KnownListing } from './listing/known-listing.ts'
import { progressTo } from './progress-to.ts'

export const UPDATED = 'notifications/resources/updated'
const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/
/** Notifications that name a server's object by its id, and so may concern other clients too. */
const BY_ID = /^notifications\/(resources\/updated|tasks(\/status)?)$/
/** About a request on this connection; one that is left has ended, and its id is not a client's. */
const OF_REQUEST = /^notifications\/(progress|cancelled)$/

/** A connection as its events see it. */
export interface OpenedLink {
  readonly line: Line
  readonly scope: Scope
  /** The key of its watchers; that of the shared connection if its client does not keep it. */
  readonly key: string
  /** The key of its listing, if that is for one client; undefined if it is for all. */
  readonly ownKey: string | undefined
}

export interface LinkEventsParts {
  readonly known: Pick<KnownListing, 'sawQuestion'>
  /** Lists this connection again. */
  readonly relist: () => Promise<unknown>
  /** The project to use when no client names one. */
  readonly project: () => Promise<Project>
  readonly live: () => Link | undefined
  /** Sends all clients a notification that belongs to no call. */
  readonly emit: (method: string, params: JsonObject) => void
  /** Called when the server has confirmed the subscriptions on this connection. */
  readonly acknowledged: (link: Link) => void
  readonly log: LinkEvents['log']
}

/** Handles the messages that a server sends by itself. */
export function createLinkEvents(parts: LinkEventsParts): LinkEvents {
  const { known, relist, project, live, emit, acknowledged, log } = parts
  const relisting = new Relisting(relist)
  return {
    request: async (method, params, { signal, origin }) => {
      if (method === 'ping') return {}
      known.sawQuestion()
      const onProgress = progressTo(live(), params)
      return askClient(await origin(), { method, params, signal, project, onProgress })
    },
    notification: (method, params, origin) => {
      const link = live()
      if (LIST_CHANGED.test(method)) relisting.changed()
      else if (BY_ID.test(method)) emit(method, params)
      else if (method === 'notifications/subscriptions/acknowledged') {
        if (link) acknowledged(link)
      } else if (!method.startsWith('notifications/subscriptions/') && !OF_REQUEST.test(method)) {
        if (origin) origin.notify(method, params)
        else emit(method, params)
      }
    },
    log,
  }
}

const MIN_WAIT_MS = 250
const MAX_WAIT_MS = 30_000

/**
 * Lists a server again when it says that its lists have changed: the first time at once, and then
 * after a pause that grows for as long as it goes on saying so. A server may say so whenever it is
 * listed. No change is lost: what comes in a pause is listed at its end.
 */
export class Relisting {
  readonly #list: () => Promise<unknown>
  #waitMs = MIN_WAIT_MS
  #isWaiting = false
  #hasChanged = false

  constructor(list: () => Promise<unknown>) {
    this.#list = list
  }

  /** Called when the server says that a list has changed. */
  changed(): void {
    this.#hasChanged = true
    if (!this.#isWaiting) void this.#relist()
  }

  async #relist(): Promise<void> {
    this.#isWaiting = true
    this.#hasChanged = false
    await this.#list().catch(() => undefined)
    const timer = setTimeout(() => {
      this.#isWaiting = false
      this.#waitMs = this.#hasChanged ? Math.min(this.#waitMs * 2, MAX_WAIT_MS) : MIN_WAIT_MS
      if (this.#hasChanged) void this.#relist()
    }, this.#waitMs)
    timer.unref()
  }
}
