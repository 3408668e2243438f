import type { Oversize } from '../protocol/framing/line-framer.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { Peer, type PeerHandlers, encodeFailure } from '../protocol/peer.ts'
import type { Arrival, Backend } from './backend.ts'
import { type Channel, LegacySession } from './legacy-session.ts'
import { ModernFront, isModern } from './modern.ts'
import { META, metaOf } from '../protocol/versions.ts'
import { isContinuation, toShutdownError } from './shutting-down.ts'
import type { Canceller } from '../base/flow/signal.ts'

export interface ConversationOptions {
  readonly id: string
  readonly backend: Backend
  readonly arrival: Arrival
  readonly send: (text: string) => void
  /** Keeps the ids of our requests distinct from those of an earlier connection of the client. */
  readonly idPrefix?: string | undefined
}

/**
 * A client at the other end of one stream of messages: stdio, a WebSocket, or the SSE transport of
 * 2024. It may speak either era; each request shows which.
 */
export class Conversation {
  readonly #peer: Peer
  readonly #backend: Backend
  #arrival: Arrival
  readonly #modern: ModernFront
  readonly #session: LegacySession
  readonly #channel: Channel

  #clientName: string | undefined

  constructor({ id, backend, arrival, send, idPrefix }: ConversationOptions) {
    this.#backend = backend
    this.#arrival = arrival
    this.#modern = new ModernFront(backend)
    const handlers: PeerHandlers = {
      request: async (method, params, context) => this.#serve(method, params, context),
      notification: (method) => this.#session.receive(method),
      invalid: (_text, problem, about) => send(encodeFailure(about ?? null, problem)),
    }
    this.#peer = new Peer(send, handlers, idPrefix)
    this.#channel = {
      request: async (...args) => this.#peer.request(...args),
      notify: (method, params) => this.#peer.notify(method, params),
    }
    this.#session = new LegacySession({ id, backend, arrival, standing: this.#channel })
  }

  /** Changes how the client presents itself: it may have refreshed its token. */
  arrive(arrival: Arrival): void {
    this.#arrival = arrival
    this.#session.arrive(arrival)
  }

  receive(text: string): void {
    this.#peer.receive(text)
  }

  /** Answers a message that was not read, or fails the request that it answers. */
  tooLarge(oversize: Oversize, maxBytes: number): void {
    this.#peer.skip(
      oversize,
      `The message of ${oversize.bytes} bytes is over the limit of ${maxBytes} bytes (listen.maxBodyBytes)`,
    )
  }

  /** What the client calls itself; undefined until it has said so. */
  get clientName(): string | undefined {
    return this.#clientName
  }

  get inFlight(): number {
    return this.#peer.serving - this.#modern.listeners
  }

  endSubscriptions(): void {
    this.#modern.close()
  }

  close(): void {
    const reason = new Error('The client has left')
    this.#modern.close()
    this.#modern.abandon(reason)
    this.#peer.close(reason)
    this.#session.close()
  }

  async #serve(
    method: string,
    params: JsonObject,
    { id, canceller }: { id: RequestId; canceller: Canceller },
  ): Promise<JsonObject> {
    if (this.#backend.phase === 'refusing' && !isContinuation({ id, method, params }))
      throw toShutdownError()
    if (this.#clientName === undefined) this.#clientName = nameIn(params)
    if (isModern(params)) {
      const notify = (name: string, content: JsonObject) => this.#peer.notify(name, content)
      const arrival = this.#arrival
      return this.#modern.handle({ id, method, params, arrival, canceller, notify })
    }
    const isFree = method === 'initialize' || method === 'ping'
    const identity = isFree ? undefined : await this.#backend.authenticate(this.#arrival)
    const channel = this.#channel
    return this.#session.handle(method, params, { signal: canceller, channel, identity })
  }
}

/** Returns the name of the client in a handshake, or in the envelope of a modern request. */
function nameIn(params: JsonObject): string | undefined {
  const info = params['clientInfo'] ?? metaOf(params)[META.clientInfo]
  return isObject(info) && typeof info['name'] === 'string' ? info['name'] : undefined
}
