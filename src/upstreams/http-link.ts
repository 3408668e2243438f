import type { IncomingMessage } from 'node:http'
import type { Client } from '../gateway/call.ts'
import { type JsonObject, type RequestId, isObject } from '../protocol/json-rpc.ts'
import { encodeFailure, isId, toFailure } from '../protocol/peer.ts'
import { encodeResult } from '../protocol/raw-text.ts'
import { carriedBy } from '../protocol/trace-context.ts'
import { MODERN_VERSION, metaOf } from '../protocol/versions.ts'
import { Callers } from './callers.ts'
import { type Greeting, discover, initialize } from './handshake.ts'
import { exchange, isEventStream, readEvents, readText } from './http-exchange.ts'
import { dress, mirror, parseObject, refusal, settle } from './http-messages.ts'
import type { Link, LinkContext, LinkEvents } from './link.ts'
import { TransportError } from './transport-error.ts'
import { Canceller } from '../protocol/signal.ts'

/** Gives the `Authorization` of a server that wants one, and learns when it was refused. */
export interface Credentials {
  header(): Promise<string | undefined>
  /** Resolves when a new attempt can succeed; throws with what the user must do otherwise. */
  refused(challenge: string | undefined): Promise<void>
}

export interface HttpLinkOptions {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: Credentials | undefined
}

const SSE_RETRY_MS = 1000
const CANCEL_WAIT_MS = 2000

/** Streamable HTTP in both eras: every request is a POST of its own. */
export class HttpLink implements Link {
  readonly gone: Promise<Error>
  readonly #options: HttpLinkOptions
  readonly #events: LinkEvents
  readonly #owner: Client | undefined
  readonly #callers: Callers
  readonly #closing = new Canceller()
  #greeting: Greeting | undefined
  #session: string | undefined
  #hadSession = false
  #renewing: Promise<void> | undefined
  #lastId = 0

  constructor(options: HttpLinkOptions, events: LinkEvents, owner: Client | undefined) {
    this.#options = options
    this.#events = events
    this.#owner = owner
    this.#callers = new Callers(owner)
    this.gone = new Promise((resolve) => {
      this.#closing.signal.addEventListener('abort', () => resolve(new Error('it was closed')))
    })
  }

  get era() {
    return this.#greeting?.era ?? 'legacy'
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

  async greetModern(): Promise<void> {
    const ask = async (method: string, params: JsonObject) =>
      this.#ask(method, params, { signal: this.#closing }, 'modern')
    this.#greeting = await discover(ask)
  }

  async greetLegacy(): Promise<void> {
    const ask = async (method: string, params: JsonObject) =>
      this.#ask(method, params, { signal: this.#closing }, 'legacy')
    this.#session = undefined
    this.#greeting = await initialize(ask, this.#owner)
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' }, {}, 'legacy').then(
      (response) => response.resume(),
    )
    void this.#listen()
  }

  async request(method: string, params: JsonObject, context: LinkContext): Promise<JsonObject> {
    return this.#callers.during(context.client, async () => this.#request(method, params, context))
  }

  async #request(method: string, params: JsonObject, context: LinkContext): Promise<JsonObject> {
    if (this.#renewing) await this.#renewing
    const session = this.#session
    try {
      return await this.#ask(method, params, context, this.era)
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error
      // Calls that were lost together renew the session once.
      if (this.#session === session)
        this.#renewing ??= this.greetLegacy().finally(() => (this.#renewing = undefined))
      await this.#renewing
      return this.#ask(method, params, context, this.era)
    }
  }

  notify(method: string, params: JsonObject): void {
    this.#post({ jsonrpc: '2.0', method, params }, {}, this.era).then(
      (response) => response.resume(),
      () => undefined,
    )
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('closed'))
    if (this.#session === undefined) return
    const headers = await this.#headers({}, 'legacy').catch(() => this.#options.headers)
    const signal = AbortSignal.timeout(CANCEL_WAIT_MS)
    await exchange({ method: 'DELETE', url: this.#options.url, headers, signal }).then(
      (response) => response.resume(),
      () => undefined,
    )
  }

  async #ask(
    method: string,
    params: JsonObject,
    context: LinkContext,
    era: Greeting['era'],
  ): Promise<JsonObject> {
    const id = ++this.#lastId
    const message = { jsonrpc: '2.0', id, method, params: dress(params, context.client, era, id) }
    const cancel = () => {
      if (era === 'legacy' && method !== 'initialize')
        this.notify('notifications/cancelled', { requestId: id, reason: 'cancelled by the client' })
    }
    context.signal?.addEventListener('abort', cancel, { once: true })
    try {
      const response = await this.#authorised(message, context, era)
      if (era === 'legacy' && method === 'initialize') this.#keepSession(response)
      return await this.#answer(response, id, params, context)
    } catch (error) {
      if (context.signal?.aborted) throw context.signal.reason
      throw error
    } finally {
      context.signal?.removeEventListener('abort', cancel)
    }
  }

  async #authorised(
    message: JsonObject,
    context: LinkContext,
    era: Greeting['era'],
  ): Promise<IncomingMessage> {
    const response = await this.#post(message, context, era)
    if (response.statusCode !== 401 || !this.#options.credentials) return response
    response.resume()
    const challenge = response.headers['www-authenticate']
    await this.#options.credentials.refused(challenge)
    return this.#post(message, context, era)
  }

  async #answer(
    response: IncomingMessage,
    id: RequestId,
    params: JsonObject,
    context: LinkContext,
  ): Promise<JsonObject> {
    if (isEventStream(response) && response.statusCode === 200)
      return this.#streamed(response, id, params, context)
    const text = await readText(response)
    const message = parseObject(text)
    if (message && ('result' in message || 'error' in message)) {
      if (this.#isSessionLost(response.statusCode, message)) throw new SessionLost()
      return settle(message, text)
    }
    if (this.#isSessionLost(response.statusCode, undefined)) throw new SessionLost()
    throw refusal(response, text)
  }

  async #streamed(
    response: IncomingMessage,
    id: RequestId,
    params: JsonObject,
    context: LinkContext,
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const ended = readEvents(response, ({ data }) => {
        const message = parseObject(data)
        if (!message) return this.#events.log(data)
        if (message['id'] === id && !('method' in message)) {
          try {
            resolve(settle(message, data))
          } catch (error) {
            reject(error)
          }
        } else this.#incoming(message, { id, params, client: context.client })
      })
      void ended.then(() => reject(new TransportError('its answer stream ended without an answer')))
    })
  }

  /** A message of the server's own: on the stream of a call it belongs to that call. */
  #incoming(
    message: JsonObject,
    call?: { id: RequestId; params: JsonObject; client: Client | undefined },
  ): void {
    const { id, method } = message
    if (typeof method !== 'string') return
    const params = isObject(message['params']) ? message['params'] : {}
    if (isId(id)) return void this.#serve(id, method, params, call?.client)
    if (method === 'notifications/progress' && call && params['progressToken'] === call.id) {
      const token = metaOf(call.params)['progressToken']
      return call.client?.notify(method, { ...params, progressToken: token })
    }
    this.#events.notification(method, params, call?.client ?? this.#owner)
  }

  async #serve(
    id: RequestId,
    method: string,
    params: JsonObject,
    client: Client | undefined,
  ): Promise<void> {
    const { signal } = this.#closing
    const origin = async () => client ?? this.#callers.asker(method, signal)
    const answer = await this.#events.request(method, params, { signal, origin }).then(
      (result) => encodeResult(id, result),
      (error: unknown) => encodeFailure(id, toFailure(error)),
    )
    await this.#postText(answer, {}, 'legacy').then(
      (response) => response.resume(),
      () => undefined,
    )
  }

  /** The standing stream of the old era, where servers speak outside of any call. */
  async #listen(): Promise<void> {
    const session = this.#session
    const { signal } = this.#closing
    while (!signal.aborted && this.#session === session) {
      try {
        const headers = { ...(await this.#headers({}, 'legacy')), accept: 'text/event-stream' }
        const response = await exchange({ method: 'GET', url: this.#options.url, headers, signal })
        if (!isEventStream(response)) return void response.resume()
        await readEvents(response, ({ data }) => {
          const message = parseObject(data)
          if (message) this.#incoming(message)
        })
      } catch {
        // Refused or cut off: the next round tries again, as long as this session lives.
      }
      await new Promise((resolve) => setTimeout(resolve, SSE_RETRY_MS).unref())
    }
  }

  async #post(message: JsonObject, context: LinkContext, era: Greeting['era']) {
    return this.#postText(JSON.stringify(message), context, era, message)
  }

  async #postText(
    body: string,
    context: LinkContext,
    era: Greeting['era'],
    message?: JsonObject,
  ): Promise<IncomingMessage> {
    const mirrored = era === 'modern' && message ? mirror(message) : {}
    const params = message?.['params']
    const traced = carriedBy(isObject(params) ? params : undefined, context.client?.headers)
    const headers = { ...(await this.#headers(mirrored, era)), ...context.headers, ...traced }
    const { url } = this.#options
    const { signal } = context
    const repeatable = message?.['method'] !== 'tools/call'
    return exchange({ method: 'POST', url, headers, body, repeatable, ...(signal && { signal }) })
  }

  async #headers(
    more: Record<string, string>,
    era: Greeting['era'],
  ): Promise<Record<string, string>> {
    const authorization = await this.#options.credentials?.header()
    const version = era === 'modern' ? MODERN_VERSION : this.#greeting?.version
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...this.#options.headers,
      ...(authorization !== undefined && { authorization }),
      ...(version !== undefined && { 'mcp-protocol-version': version }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...more,
    }
  }

  #keepSession(response: IncomingMessage): void {
    const session = response.headers['mcp-session-id']
    if (typeof session !== 'string') return
    this.#session = session
    this.#hadSession = true
  }

  #isSessionLost(status: number | undefined, message: JsonObject | undefined): boolean {
    if (!this.#hadSession) return false
    if (status === 404) return true
    const error = message?.['error']
    return status === 400 && isObject(error) && /session/i.test(String(error['message']))
  }
}

/** The server has forgotten the session, as after a restart: nothing of the call was done. */
class SessionLost extends Error {
  constructor() {
    super('it has forgotten our session')
  }
}
