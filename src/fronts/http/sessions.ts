import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import { Peer, encodeNotification } from '../../protocol/peer.ts'
import type { Arrival, Backend } from '../backend.ts'
import { type Channel, LegacySession } from '../legacy-session.ts'
import { Canceller } from '../../protocol/signal.ts'

/** What is said while no stream is open waits, up to this many messages. */
const MAX_WAITING = 1000

/** A session of the old era over HTTP: many requests, and streams that come and go. */
export class HttpSession {
  readonly id = randomUUID()
  readonly credential: string | undefined
  readonly session: LegacySession
  readonly #peer: Peer
  readonly #inFlight = new Map<string, Canceller>()
  #stream: ((text: string) => void) | undefined
  #waiting: string[] = []
  lastSeen = Date.now()

  constructor(backend: Backend, arrival: Arrival) {
    this.credential = arrival.credential
    this.#peer = new Peer((text) => this.#say(text), {
      request: async () => ({}),
      notification: (method, params) => this.#hear(method, params),
    })
    this.session = new LegacySession(this.id, backend, arrival, this.channel())
  }

  /** The way to the client: by the stream of one POST, or by the standing one. */
  channel(via?: (text: string) => void): Channel {
    return {
      request: async (method, params, signal) =>
        this.#peer.request(method, params, { ...(signal && { signal }), ...(via && { via }) }),
      notify: (method, params) =>
        (via ?? ((text) => this.#say(text)))(encodeNotification(method, params)),
    }
  }

  /** An answer or notification of the client's. */
  accept(message: unknown): void {
    this.#peer.accept(message, '')
  }

  begin(id: string): Canceller {
    const controller = new Canceller()
    this.#inFlight.set(id, controller)
    return controller
  }

  end(id: string): void {
    this.#inFlight.delete(id)
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  get busy(): boolean {
    return this.#inFlight.size > 0 || this.#stream !== undefined
  }

  /** Takes the standing stream; returns the way to give it back. */
  listen(write: (text: string) => void): () => void {
    this.#stream = write
    for (const text of this.#waiting) write(text)
    this.#waiting = []
    return () => {
      if (this.#stream === write) this.#stream = undefined
    }
  }

  close(): void {
    const reason = new Error('The session was closed')
    for (const controller of this.#inFlight.values()) controller.abort(reason)
    this.#peer.close(reason)
    this.session.close()
  }

  #say(text: string): void {
    if (this.#stream) this.#stream(text)
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(text)
  }

  #hear(method: string, params: JsonObject): void {
    if (method === 'notifications/cancelled')
      this.#inFlight
        .get(JSON.stringify(params['requestId']))
        ?.abort(new Error('Cancelled by the client'))
    else this.session.hear(method)
  }
}

export interface Sessions {
  open(backend: Backend, arrival: Arrival): HttpSession
  /** The session, if it exists and belongs to whoever holds this credential. */
  find(id: string, arrival: Arrival): HttpSession | undefined
  close(id: string): void
  readonly size: number
  /** Requests of all sessions that have no answer yet. */
  readonly inFlight: number
  closeAll(): void
}

/** Forgets sessions that were silent for too long; a client that comes back starts a new one. */
export function createSessions(idleMs: number): Sessions {
  const sessions = new Map<string, HttpSession>()
  const sweep = setInterval(
    () => {
      const limit = Date.now() - idleMs
      for (const [id, session] of sessions) if (!session.busy && session.lastSeen < limit) close(id)
    },
    Math.min(idleMs, 60_000),
  )
  sweep.unref()

  function close(id: string): void {
    sessions.get(id)?.close()
    sessions.delete(id)
  }

  return {
    open(backend, arrival) {
      const session = new HttpSession(backend, arrival)
      sessions.set(session.id, session)
      return session
    },
    find(id, arrival) {
      const session = sessions.get(id)
      if (!session || session.credential !== arrival.credential) return undefined
      session.lastSeen = Date.now()
      session.session.arrive(arrival)
      return session
    },
    close,
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
      for (const id of sessions.keys()) close(id)
    },
  }
}
