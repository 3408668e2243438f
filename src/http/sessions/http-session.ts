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
  /**
   * The store shared with other replicas, undefined if this is the only process; `facts` is the
   * session as another replica stored it.
   */
  readonly store?: SessionStore | undefined
  readonly id?: string
  readonly facts?: SessionFacts
  readonly fingerprint: string
  /** Called when another replica has ended the session. */
  readonly ended: () => void
}

/** The most messages that wait while no stream is open. */
const MAX_WAITING = 1000

/** A legacy session over HTTP: many requests, and streams that come and go. */
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
    // An answer may arrive at any replica, so its id must show which replica asked.
    const prefix = store && `${randomUUID().slice(0, 8)}-`
    this.#peer = new Peer((text) => this.#ask(text), handlers, prefix)
    const keep = store && (async (changed: Facts) => this.#keep(changed))
    const memory = { facts, ...(keep && { keep }) }
    const standing = this.channel()
    this.session = new LegacySession({ id: this.id, backend, arrival, standing, memory })
    this.#subscription = store?.subscribe(this.id, (update) => this.#apply(update))
  }

  /**
   * Returns a channel to the client: over the stream of one POST, as long as `viaPost` can send, then
   * over the standing one. A server whose connection was opened for a call may ask after it.
   */
  channel(viaPost: (text: string) => boolean = () => false): Channel {
    const via = (text: string) => void (viaPost(text) || this.#ask(text))
    return {
      request: async (method, params, options) =>
        this.#peer.request(method, params, { ...options, via }),
      notify: (method, params) => {
        const text = encodeNotification(method, params)
        if (viaPost(text)) return
        if (method === 'notifications/progress') this.#sayNow(text)
        else this.#say(text)
      },
    }
  }

  /** Accepts an answer or a notification from the client. */
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

  /** Sets the standing stream; returns the function that removes it. */
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

  /** Saves the session again so that the store keeps it, at most once per `everyMs`. */
  save(everyMs: number): void {
    if (!this.#store || Date.now() - this.#savedAt < everyMs) return
    this.#savedAt = Date.now()
    void this.#store.save(this.id, { ...this.session.facts, fingerprint: this.#fingerprint })
  }

  /** Loads the changes that other replicas made before the subscription was ready. */
  async catchUp(): Promise<void> {
    await this.#subscription?.ready
    const facts = await this.#store?.load(this.id)
    if (facts && facts !== 'later') this.session.adopt(facts)
  }

  /** Ends the session here; other replicas may continue it. */
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

  /** Handles a message that the client sent to another replica. */
  #receiveRelayed(message: JsonObject): void {
    const { method, params } = message
    if (typeof method === 'string') this.#receive(method, isObject(params) ? params : {}, false)
    else this.#peer.accept(message, '')
  }

  /** Sends a question outside of any call, through the replica that has the client's stream. */
  #ask(text: string): void {
    if (this.#elsewhere) this.#store?.publish(this.id, { kind: 'say', text })
    else this.#say(text)
  }

  /**
   * Writes to the client's stream, or queues while none is open. Drops the text if another replica
   * has the stream: that replica receives the notification itself.
   */
  #say(text: string): void {
    if (this.#stream) return this.#stream(text)
    const full = this.#waiting.length >= MAX_WAITING
    if (!this.#elsewhere && !full && !this.#waiting.includes(text)) this.#waiting.push(text)
  }

  /** Sends progress of a call of this client, unless no stream is open: it is of no use later. */
  #sayNow(text: string): void {
    if (this.listened) this.#ask(text)
  }

  #receive(method: string, params: JsonObject, keeps = true): void {
    if (method === 'notifications/cancelled')
      this.#inFlight
        .get(stringifyExact(params['requestId']))
        ?.abort(new Error('Cancelled by the client'))
    else this.session.receive(method, keeps)
  }
}
