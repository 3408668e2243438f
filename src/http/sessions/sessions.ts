import type { JsonObject } from '../../base/json/json.ts'
import type { Arrival, Backend } from '../../fronts/backend.ts'
import { type SessionIds, toClientFacts } from '../../fronts/session-ids.ts'
import type { SessionRelay } from '../../fronts/session-relay.ts'
import { HttpSession, type HttpSessionOptions } from './http-session.ts'

/** A request that belongs to a session, or opens one. */
export interface SessionRequest {
  readonly backend: Backend
  readonly arrival: Arrival
  /** Whose credential it carries. */
  readonly owner: string
}

export interface Sessions {
  /** Opens a session for the client that `initialize` describes. */
  open(request: SessionRequest, initialize: JsonObject): HttpSession
  /** Returns the session of an id, unless it is not an id of this owner, or was ended. */
  find(id: string, request: SessionRequest): Promise<HttpSession | undefined>
  /** Ends a session everywhere. */
  end(session: HttpSession): void
  /** Sessions that are in memory. */
  readonly size: number
  /** Requests of all sessions that have no answer yet. */
  readonly inFlight: number
  closeAll(): void
}

export interface SessionsOptions {
  readonly ids: SessionIds
  /** Silence after which a session leaves the memory; its next request opens it from its id. */
  readonly idleMs: number
  /** Silence, with no stream open, after which connections that only this session uses may end. */
  readonly releaseMs: number
  readonly relay?: SessionRelay | undefined
}

/** Ended sessions that a process remembers; the oldest are forgotten first. */
const MAX_ENDED = 10_000

/** Serves the sessions of legacy clients. What a session is stands in its id. */
export function createSessions({ ids, idleMs, releaseMs, relay }: SessionsOptions): Sessions {
  const sessions = new Map<string, HttpSession>()
  const ended = new Set<string>()
  const sweep = setInterval(
    () => {
      const now = Date.now()
      for (const session of sessions.values()) {
        const silentMs = now - session.lastSeen
        if (session.busy) continue
        if (silentMs > idleMs) leave(session)
        else if (silentMs > releaseMs && !session.listened) session.session.suspend()
      }
    },
    Math.min(idleMs, releaseMs, 60_000),
  )
  sweep.unref()

  function leave(session: HttpSession): void {
    session.close()
    sessions.delete(session.id)
  }

  function remember({ key }: HttpSession): void {
    ended.add(key)
    const [oldest = ''] = ended
    if (ended.size > MAX_ENDED) ended.delete(oldest)
  }

  function begin(options: Omit<HttpSessionOptions, 'relay' | 'ended'>): HttpSession {
    const session = new HttpSession({
      ...options,
      relay,
      ended() {
        remember(session)
        leave(session)
      },
    })
    sessions.set(session.id, session)
    return session
  }

  async function reopen(id: string, request: SessionRequest): Promise<HttpSession | undefined> {
    const opened = ids.open(id, request.owner)
    if (!opened || ended.has(opened.key) || (await relay?.hasEnded(opened.key))) return undefined
    // Another request may have opened it in the meantime.
    return sessions.get(id) ?? begin({ id, ...opened, ...request })
  }

  return {
    open(request, initialize) {
      return begin({ ...ids.create(request.owner, toClientFacts(initialize)), ...request })
    },
    async find(id, request) {
      const session = sessions.get(id) ?? (await reopen(id, request))
      const now = Date.now()
      if (session?.owner !== request.owner || session.expiresAt < now) return undefined
      session.lastSeen = now
      session.session.arrive(request.arrival)
      return session
    },
    end(session) {
      remember(session)
      leave(session)
      void relay?.end(session.key)
      relay?.publish(session.key, { kind: 'end' })
    },
    get size() {
      return sessions.size
    },
    get inFlight() {
      let sum = 0
      for (const session of sessions.values()) sum += session.inFlight
      return sum
    },
    closeAll() {
      clearInterval(sweep)
      for (const session of sessions.values()) leave(session)
    },
  }
}
