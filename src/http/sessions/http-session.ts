import { randomUUID } from 'node:crypto'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import { Peer, encodeNotification, isId } from '../../protocol/peer.ts'
import { Canceller } from '../../base/flow/signal.ts'
import type { Arrival, Backend } from '../../fronts/backend.ts'
import { type Channel, type Facts, LegacySession } from '../../fronts/legacy-session.ts'
import type { SessionFacts, SessionStore, SessionUpdate } from '../../fronts/session-store.ts'

export interface HttpSessionOptions {
  readonly backend: Backend
  readonly arrival: Arrival
  /** Where other replicas find it, and what it was there; nothing where this is the only process. */
  readonly store?: SessionStore | undefined
  readonly id?: string
  readonly facts?: SessionFacts
  readonly fingerprint: string
  /** Another replica was asked to end it. */
  readonly ended: () => void
}

/** What is said while no stream is open waits, up to this many messages. */
const MAX_WAITING = 1000

/** A session of the old era over HTTP: many requests, and streams that come and go. */
export class HttpSession {
  readonly id: string
  readonly credential: string | undefined
  readonly session: LegacySession
  readonly #fingerprint: string
  readonly #ended: () => void
  readonly #store: SessionStore | undefined
  readonly #peer: Peer
  readonly #inFlight = new Map<string, Canceller>()
  readonly #subscription: ReturnType<SessionStore['subscribe']> | undefined
  #stream: ((text: string) => void) | undefined
  /** Whether the client listens at another replica. */
  #elsewhere = false
  #waiting: string[] = []
  #savedAt = 0
  lastSeen = Date.now()

  constructor({ backend, arrival, store, id, facts, fingerprint, ended }: HttpSessionOptions) {
    this.id = id ?? randomUUID()
    this.#ended = ended
    this.credential = arrival.credential
    this.#fingerprint = fingerprint
    this.#store = store
    const handlers = {
      request: async () => ({}),
      notification: (method: string, params: JsonObject) => this.#receive(method, params),
    }
    // An answer may come in anywhere: it must say whose question it is for.
    const prefix = store && `${randomUUID().slice(0, 8)}-`
    this.#peer = new Peer((text) => this.#ask(text), handlers, prefix)
    const keep = store && (async (changed: Facts) => this.#keep(changed))
    const memory = { facts, ...(keep && { keep }) }
    const standing = this.channel()
    this.session = new LegacySession({ id: this.id, backend, arrival, standing, memory })
    this.#subscription = store?.subscribe(this.id, (update) => this.#apply(update))
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
  accept(message: JsonObject): void {
    const { id, method } = message
    const isOurs = typeof method !== 'string' && isId(id) && this.#peer.expects(id)
    if (!isOurs) this.#store?.publish(this.id, { kind: 'message', message })
    this.#peer.accept(message, '')
  }

  begin(id: string): Canceller {
    const controller = new Canceller()
    this.#inFlight.set(id, controller)
    return controller
  }

  end(id: string): void {
    this.#inFlight.delete(id)
    this.lastSeen = Date.now()
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  get busy(): boolean {
    return this.#inFlight.size > 0 || this.#stream !== undefined
  }

  /** Whether its client has a stream open, here or at another replica. */
  get listened(): boolean {
    return this.#stream !== undefined || this.#elsewhere
  }

  /** Takes the standing stream; returns the way to give it back. */
  listen(write: (text: string) => void): () => void {
    this.#stream = write
    this.#elsewhere = false
    this.#store?.publish(this.id, { kind: 'stream' })
    for (const text of this.#waiting) write(text)
    this.#waiting = []
    return () => {
      if (this.#stream !== write) return
      this.#stream = undefined
      this.lastSeen = Date.now()
    }
  }

  /** Saved again so that it is not forgotten, at most once in a while. */
  save(everyMs: number): void {
    if (!this.#store || Date.now() - this.#savedAt < everyMs) return
    this.#savedAt = Date.now()
    void this.#store.save(this.id, { ...this.session.facts, fingerprint: this.#fingerprint })
  }

  /** Loads what changed at other replicas before it was subscribed. */
  async catchUp(): Promise<void> {
    await this.#subscription?.ready
    const facts = await this.#store?.load(this.id)
    if (facts && facts !== 'later') this.session.adopt(facts)
  }

  /** Ends here; other replicas may go on with it. */
  close(): void {
    const reason = new Error('The session was closed')
    this.#subscription?.stop()
    for (const controller of this.#inFlight.values()) controller.abort(reason)
    this.#peer.close(reason)
    this.session.close()
  }

  async #keep(changed: Facts): Promise<void> {
    const facts = { ...changed, fingerprint: this.#fingerprint }
    this.#savedAt = Date.now()
    await this.#store?.save(this.id, facts)
    this.#store?.publish(this.id, { kind: 'facts', facts })
  }

  #apply(update: SessionUpdate): void {
    if (update.kind === 'message') this.#receiveRelayed(update.message)
    else if (update.kind === 'facts') this.session.adopt(update.facts)
    else if (update.kind === 'say') this.#stream?.(update.text)
    else if (update.kind === 'end') this.#ended()
    else {
      this.#stream = undefined
      this.#elsewhere = true
      this.#waiting = []
    }
  }

  /** A message that the client sent to another replica. */
  #receiveRelayed(message: JsonObject): void {
    const { method, params } = message
    if (typeof method === 'string') this.#receive(method, isObject(params) ? params : {}, false)
    else this.#peer.accept(message, '')
  }

  /** A question outside of any call: sent to the replica that has the client's stream. */
  #ask(text: string): void {
    if (this.#elsewhere) this.#store?.publish(this.id, { kind: 'say', text })
    else this.#say(text)
  }

  /** Where the client's stream is at another replica, that one gets the notification itself. */
  #say(text: string): void {
    if (this.#stream) return this.#stream(text)
    const full = this.#waiting.length >= MAX_WAITING
    if (!this.#elsewhere && !full && !this.#waiting.includes(text)) this.#waiting.push(text)
  }

  #receive(method: string, params: JsonObject, keeps = true): void {
    if (method === 'notifications/cancelled')
      this.#inFlight
        .get(stringifyExact(params['requestId']))
        ?.abort(new Error('Cancelled by the client'))
    else this.session.receive(method, keeps)
  }
}
