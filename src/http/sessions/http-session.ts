import { randomUUID } from 'node:crypto'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import { Peer, encodeNotification, isId } from '../../protocol/peer.ts'
import { Canceller } from '../../base/flow/signal.ts'
import type { Arrival, Backend } from '../../fronts/backend.ts'
import { type Channel, type LegacyContext, LegacySession } from '../../fronts/legacy-session.ts'
import type { ClientFacts } from '../../fronts/session-ids.ts'
import type { SessionMessage, SessionRelay } from '../../fronts/session-relay.ts'

export interface HttpSessionOptions {
  readonly id: string
  /** Names the session to other replicas and to servers. */
  readonly key: string
  /** Whose session it is: only requests with a credential of this owner belong to it. */
  readonly owner: string
  /** When its id expires, in milliseconds since the epoch. */
  readonly expiresAt: number
  readonly backend: Backend
  readonly arrival: Arrival
  /** The client as the id of the session describes it, unless its handshake is still to come. */
  readonly facts?: ClientFacts | undefined
  /** Reaches other replicas that serve the session. */
  readonly relay?: SessionRelay | undefined
  /** Called when the client has ended the session at another replica. */
  readonly ended: () => void
}

/** The most messages that wait while no stream is open. */
const MAX_WAITING = 1000

/** Requests that change the session at every replica that serves it. */
const CHANGES = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])

/** The client has cancelled the request, and expects no answer. */
export class CancelledByClient extends Error {}

/** A legacy session over HTTP: many requests, and streams that come and go. */
export class HttpSession {
  readonly id: string
  readonly key: string
  readonly owner: string
  readonly expiresAt: number
  readonly session: LegacySession
  readonly #ended: () => void
  readonly #relay: SessionRelay | undefined
  readonly #peer: Peer
  readonly #inFlight = new Map<string, Canceller>()
  readonly #stopListening: (() => void) | undefined
  #stream: ((text: string) => void) | undefined
  /** Whether the client listens at another replica. */
  #elsewhere = false
  /** Messages that wait for a stream, and whether only this replica knows them. */
  #waiting = new Map<string, boolean>()
  lastSeen = Date.now()

  constructor(options: HttpSessionOptions) {
    const { id, key, owner, expiresAt, backend, arrival, facts, relay, ended } = options
    this.id = id
    this.key = key
    this.owner = owner
    this.expiresAt = expiresAt
    this.#ended = ended
    this.#relay = relay
    const handlers = {
      request: async () => ({}),
      notification: (method: string, params: JsonObject) => this.#receive(method, params),
    }
    // An answer may arrive at any replica, so its id must show which replica asked.
    const prefix = relay && `${randomUUID().slice(0, 8)}-`
    this.#peer = new Peer((text) => this.#ask(text), handlers, prefix)
    this.session = new LegacySession({ id: key, backend, arrival, standing: this.channel(), facts })
    const subscription = relay?.subscribe(key, (message) => this.#apply(message))
    this.#stopListening = subscription?.stop
    if (facts) void subscription?.ready.then(() => relay?.publish(key, { kind: 'join' }))
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
        // Only the replica that got the subscription watches the resource.
        else if (method === 'notifications/resources/updated') this.#ask(text)
        else this.#say(text)
      },
    }
  }

  async handle(method: string, params: JsonObject, context: LegacyContext): Promise<JsonObject> {
    const result = await this.session.handle(method, params, context)
    if (CHANGES.has(method))
      this.#relay?.publish(this.key, { kind: 'message', message: { method, params } })
    return result
  }

  /** Accepts an answer or a notification from the client. */
  accept(message: JsonObject): void {
    const { id, method } = message
    const isOurs = typeof method !== 'string' && isId(id) && this.#peer.expects(id)
    if (!isOurs) this.#relay?.publish(this.key, { kind: 'message', message })
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
    this.#relay?.publish(this.key, { kind: 'stream' })
    for (const text of this.#waiting.keys()) write(text)
    this.#waiting.clear()
    return () => {
      if (this.#stream !== write) return
      this.#stream = undefined
      this.lastSeen = Date.now()
    }
  }

  /** Ends the session here; other replicas may continue it. */
  close(): void {
    const reason = new Error('The session was closed')
    this.#stopListening?.()
    for (const controller of this.#inFlight.values()) controller.abort(reason)
    this.#peer.close(reason)
    this.session.close()
  }

  #apply(message: SessionMessage): void {
    if (message.kind === 'message') this.#receiveRelayed(message.message)
    else if (message.kind === 'say') this.#stream?.(message.text)
    else if (message.kind === 'stream') this.#listensElsewhere()
    else if (message.kind === 'end') this.#ended()
    else if (this.#stream) this.#relay?.publish(this.key, { kind: 'stream' })
  }

  #listensElsewhere(): void {
    this.#stream = undefined
    this.#elsewhere = true
    for (const [text, isOurs] of this.#waiting) if (isOurs) this.#ask(text)
    this.#waiting.clear()
  }

  /** Handles a message that the client sent to another replica. */
  #receiveRelayed(message: JsonObject): void {
    const { method, params: content } = message
    if (typeof method !== 'string') return this.#peer.accept(message, '')
    const params = isObject(content) ? content : {}
    if (CHANGES.has(method)) this.session.follow(method, params)
    else this.#receive(method, params)
  }

  /** Sends what only this replica knows, through the replica that has the client's stream. */
  #ask(text: string): void {
    if (this.#elsewhere) this.#relay?.publish(this.key, { kind: 'say', text })
    else this.#say(text, true)
  }

  /**
   * Writes to the client's stream, or queues while none is open. Drops the text if another replica
   * has the stream: that replica receives the notification itself.
   */
  #say(text: string, isOurs = false): void {
    if (this.#stream) return this.#stream(text)
    const full = this.#waiting.size >= MAX_WAITING
    if (!this.#elsewhere && !full && !this.#waiting.has(text)) this.#waiting.set(text, isOurs)
  }

  /** Sends progress of a call of this client, unless no stream is open: it is of no use later. */
  #sayNow(text: string): void {
    if (this.listened) this.#ask(text)
  }

  #receive(method: string, params: JsonObject): void {
    if (method === 'notifications/cancelled')
      this.#inFlight
        .get(stringifyExact(params['requestId']))
        ?.abort(new CancelledByClient('Cancelled by the client'))
    else this.session.receive(method)
  }
}
