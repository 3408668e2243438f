import type { Client } from '../../gateway/call.ts'
import { type RequestId, RpcError } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { encodeNotification, encodeRequest } from '../../protocol/peer.ts'
import { Callers } from '../connections/callers.ts'
import { ERAS, type EraName, type Greeting } from '../../protocol/eras/eras.ts'
import { readAnswer } from './read-answer.ts'
import { isEventStream } from './http-exchange.ts'
import type { HttpResponse } from './http-response.ts'
import {
  headersOf,
  isRpcAnswer,
  parseMessages,
  settle,
  toTransportError,
  withEnvelope,
} from './http-messages.ts'
import { HttpWire, type HttpWireOptions } from './http-wire.ts'
import { ServerMessages } from './server-messages.ts'
import {
  type Answer,
  DoubtfulAnswer,
  type PingLink,
  Session,
  doubted,
  wasRefused,
} from './session.ts'
import { readStandingStream } from './standing-stream.ts'
import { progressTo } from '../progress-to.ts'
import { type LinkContext, type LinkEvents, SessionLost } from '../link.ts'
import { Canceller, type Signal } from '../../base/flow/signal.ts'

interface GreetHow {
  readonly isConfigured?: boolean
  readonly signal?: Signal
}

/** Streamable HTTP in both eras: every request is a POST of its own. */
export class HttpLink implements PingLink {
  readonly gone: Promise<Error>
  #lost: ((reason: Error) => void) | undefined
  readonly #options: HttpWireOptions
  readonly #wire: HttpWire
  readonly #events: LinkEvents
  readonly #messages: ServerMessages
  readonly #owner: Client | undefined
  readonly #callers: Callers
  readonly #closing = new Canceller()
  /** Ends the stream outside of calls. */
  readonly #standing = new Canceller()
  #greeting: Greeting | undefined
  /** Absent for a server that keeps none. */
  #session: Session | undefined
  #lastId = 0

  constructor(options: HttpWireOptions, events: LinkEvents, owner: Client | undefined) {
    this.#options = options
    this.#wire = new HttpWire(options)
    this.#events = events
    this.#owner = owner
    this.#callers = new Callers(owner)
    this.#messages = new ServerMessages({
      events,
      callers: this.#callers,
      closing: this.#closing,
      answer: (text) => this.#discardAnswer(this.#wire.post(text, { era: 'legacy' })),
    })
    this.gone = new Promise((resolve) => (this.#lost = resolve))
  }

  get era() {
    return this.#greeting?.era ?? 'legacy'
  }
  get version() {
    return this.#greeting?.version ?? ''
  }
  get canAsk() {
    return !ERAS[this.era].hasSession || this.#session !== undefined
  }
  get capabilities() {
    return this.#greeting?.capabilities ?? {}
  }
  get serverInfo() {
    return this.#greeting?.serverInfo
  }
  get instructions() {
    return this.#greeting?.instructions
  }

  async greet(era: EraName, how: GreetHow = {}): Promise<void> {
    const { isConfigured, signal = this.#closing } = how
    const ask = async (method: string, params: JsonObject) =>
      this.#ask(method, params, { signal }, era)
    this.#greeting = await ERAS[era].greet(ask, { owner: this.#owner, isConfigured })
    if (!ERAS[era].hasSession) return
    if (this.#wire.session !== undefined) this.#session = this.#openSession()
    this.#wire.speak(this.#greeting.version)
    const ready = await this.#wire.post(encodeNotification('notifications/initialized', {}), {
      era: 'legacy',
      signal,
    })
    ready.discard()
    void readStandingStream({
      wire: this.#wire,
      signal: this.#standing,
      onMessage: (message) => this.#messages.receive(message),
      doubtSession: async () => this.#session?.isProvenGone(),
    })
  }

  request(method: string, params: JsonObject, context: LinkContext): Promise<JsonObject> {
    return this.#callers.during(context.client, () => this.#request(method, params, context))
  }

  async #request(method: string, params: JsonObject, context: LinkContext): Promise<JsonObject> {
    if (this.#session?.isGone) throw new SessionLost({ mayRepeat: true })
    try {
      return await this.#ask(method, params, context, this.era)
    } catch (error) {
      if (!(error instanceof DoubtfulAnswer)) throw error
      const { answer, cause } = error
      if (!(await this.#session?.isGoneAfter(answer, context.signal))) throw cause
      throw new SessionLost({ mayRepeat: method !== 'tools/call' || wasRefused(answer), cause })
    }
  }

  /** Not `#ask`, which would ask a person to sign in where a server refuses the session. */
  async ping(signal: Signal): Promise<JsonObject> {
    const id = ++this.#lastId
    const response = await this.#wire.post(encodeRequest(id, 'ping', {}), { era: 'legacy', signal })
    return this.#answer(response, id, { signal })
  }

  #openSession(): Session {
    return new Session({
      closing: this.#closing,
      ping: async (signal) => this.ping(signal),
      openOther: async (signal) => this.#openOther(signal),
      lost: (successor) => {
        this.#standing.abort()
        this.#lost?.(new SessionLost({ mayRepeat: true, successor }))
      },
    })
  }

  async #openOther(signal: Signal): Promise<PingLink> {
    const other = new HttpLink(this.#options, this.#events, this.#owner)
    try {
      await other.greet('legacy', { signal })
      return other
    } catch (error) {
      await other.close()
      throw error
    }
  }

  notify(method: string, params: JsonObject): void {
    const { era } = this
    const headers = headersOf(method, params, { era })
    this.#discardAnswer(this.#wire.post(encodeNotification(method, params), { era, headers }))
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('closed'))
    this.#standing.abort()
    this.#lost?.(new Error('it was closed'))
    if (this.#session?.isGone !== true) await this.#wire.leave()
  }

  async #ask(
    method: string,
    params: JsonObject,
    context: LinkContext,
    era: EraName,
  ): Promise<JsonObject> {
    const id = ++this.#lastId
    const { client, signal } = context
    const sent = withEnvelope(params, client, era, id)
    const cancel = () => {
      if (ERAS[era].hasSession && method !== 'initialize')
        this.notify('notifications/cancelled', { requestId: id, reason: 'cancelled by the client' })
    }
    signal?.addEventListener('abort', cancel, { once: true })
    this.#messages.followProgress(id, progressTo(client, params))
    let result: JsonObject | undefined
    try {
      const response = await this.#wire.postAuthorised(encodeRequest(id, method, sent), {
        era,
        headers: headersOf(method, sent, { era, client, more: context.headers }),
        signal,
        repeatable: method !== 'tools/call',
        isSessionGone: async (status) => this.#session?.isGoneAfter({ status }, signal) ?? false,
      })
      if (method === 'initialize') this.#keepSession(response)
      result = await this.#answer(response, id, context)
      return result
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw error
    } finally {
      signal?.removeEventListener('abort', cancel)
      this.#messages.endProgress(id, result)
    }
  }

  async #answer(response: HttpResponse, id: RequestId, context: LinkContext): Promise<JsonObject> {
    if (isEventStream(response) && response.status === 200)
      return readAnswer(response, {
        wire: this.#wire,
        signal: context.signal ?? this.#closing,
        settle: (message) =>
          isAnswer(message, id) ? this.#settle(message, response.status, id) : undefined,
        onOther: (message) => this.#messages.receive(message, context.client),
        log: (line) => this.#events.log(line),
      })
    const text = await this.#wire.readText(response)
    const messages = parseMessages(text)
    const isBatch = messages.length > 1
    for (const message of messages)
      if (isBatch && 'method' in message) this.#messages.receive(message, context.client)
    const answer = isBatch ? messages.find((message) => isAnswer(message, id)) : messages[0]
    const { status } = response
    if (answer && isRpcAnswer(answer)) return this.#settle(answer, status, id)
    throw this.#doubted({ status }, toTransportError(response, text, this.#options.hide))
  }

  /** For messages that need no answer; a failure to send them is ignored. */
  #discardAnswer(posting: Promise<HttpResponse>): void {
    posting.then(
      (response) => response.discard(),
      () => undefined,
    )
  }

  #keepSession(response: HttpResponse): void {
    const session = response.headers['mcp-session-id']
    if (typeof session === 'string') this.#wire.enter(session)
  }

  #settle(message: JsonObject, status: number, id: RequestId): JsonObject {
    try {
      return settle(message)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      // A refusal before the request was read has no id, or one that nobody sent.
      const isReceived = status < 400 || isAnswer(message, id)
      throw this.#doubted(isReceived ? { status, code: error.code } : { status }, error)
    }
  }

  #doubted(answer: Answer, error: Error): Error {
    return this.#session ? doubted(answer, error) : error
  }
}

function isAnswer(message: JsonObject, id: RequestId): boolean {
  return message['id'] === id && !('method' in message)
}
