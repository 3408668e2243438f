import { createHash } from 'node:crypto'
import type { Arrival, Backend } from '../../fronts/backend.ts'
import type { SessionStore } from '../../fronts/session-store.ts'
import { HttpSession, type HttpSessionOptions } from './http-session.ts'

export interface Sessions {
  open(backend: Backend, arrival: Arrival): HttpSession
  /** Returns the session if it exists and was opened with the same credential. */
  find(id: string, arrival: Arrival): HttpSession | undefined
  /** Takes over a session of another replica; `later` when the shared store cannot be reached. */
  readonly move?: (
    id: string,
    backend: Backend,
    arrival: Arrival,
  ) => Promise<HttpSession | 'later' | undefined>
  /** Ends a session everywhere. */
  close(id: string): void
  readonly size: number
  /** Requests of all sessions that have no answer yet. */
  readonly inFlight: number
  closeAll(): void
}

export interface SessionTimes {
  /** Silence after which a session is forgotten. */
  readonly idleMs: number
  /** Silence, with no stream open, after which connections that only this session uses may end. */
  readonly releaseMs: number
}

/** Forgets sessions that were silent for too long; a client that comes back starts a new one. */
export function createSessions(
  { idleMs, releaseMs }: SessionTimes,
  store?: SessionStore,
): Sessions {
  const sessions = new Map<string, HttpSession>()
  const moving = new Map<string, Promise<HttpSession | 'later' | undefined>>()
  const saveMs = idleMs / 4
  const sweep = setInterval(
    () => {
      const now = Date.now()
      for (const [id, session] of sessions) {
        const silentMs = now - session.lastSeen
        if (session.busy) session.save(saveMs)
        else if (silentMs > idleMs) leave(id)
        else if (silentMs > releaseMs && !session.listened) session.session.suspend()
      }
    },
    Math.min(idleMs, releaseMs, 60_000),
  )
  sweep.unref()
  store?.onLoss(() => {
    for (const session of sessions.values()) session.save(0)
  })

  function leave(id: string): void {
    sessions.get(id)?.close()
    sessions.delete(id)
  }

  function begin(options: Omit<HttpSessionOptions, 'ended'>): HttpSession {
    const session = new HttpSession({ ...options, ended: () => leave(session.id) })
    sessions.set(session.id, session)
    return session
  }

  async function load(id: string, backend: Backend, arrival: Arrival) {
    const facts = await store?.load(id)
    if (facts === 'later') return facts
    const fingerprint = fingerprintOf(arrival)
    if (!facts || facts.fingerprint !== fingerprint) return undefined
    const session = begin({ id, backend, arrival, store, facts, fingerprint })
    await session.catchUp()
    return session
  }

  return {
    open(backend, arrival) {
      return begin({ backend, arrival, store, fingerprint: fingerprintOf(arrival) })
    },
    find(id, arrival) {
      const session = sessions.get(id)
      if (!session || session.credential !== arrival.credential) return undefined
      session.lastSeen = Date.now()
      session.save(saveMs)
      session.session.arrive(arrival)
      return session
    },
    ...(store && {
      async move(id, backend, arrival) {
        if (sessions.has(id)) return undefined
        const loading = moving.get(id) ?? load(id, backend, arrival)
        moving.set(id, loading)
        const session = await loading.finally(() => moving.delete(id))
        const isOthers = session instanceof HttpSession && session.credential !== arrival.credential
        return isOthers ? undefined : session
      },
    }),
    close(id) {
      leave(id)
      void store?.remove(id)
      store?.publish(id, { kind: 'end' })
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
      for (const id of sessions.keys()) leave(id)
    },
  }
}

/** Returns a hash by which a credential is recognised without storing it. */
function fingerprintOf({ credential }: Arrival): string {
  return createHash('sha256')
    .update(credential ?? '')
    .digest('base64url')
}
