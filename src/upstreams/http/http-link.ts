import { randomInt } from 'node:crypto'
import type { Client } from '../../gateway/call.ts'
import { TaskLost } from '../../gateway/tasks/lost-task.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { encodeNotification, encodeRequest } from '../../protocol/peer.ts'
import { encodeResult } from '../../protocol/raw-text.ts'
import { LATEST_LEGACY } from '../../protocol/versions.ts'
import { Callers } from '../connections/callers.ts'
import { type Greeting, UNGREETED, discover, initialize } from '../eras/handshake.ts'
import { followEvents } from './follow-events.ts'
import { isEventStream } from './http-exchange.ts'
import type { HttpResponse } from './http-response.ts'
import type { SseEvent } from '../../protocol/framing/sse.ts'
import {
  headersOf,
  parseMessages,
  parseObject,
  settle,
  toTransportError,
  withEnvelope,
} from './http-messages.ts'
import { HttpWire, type HttpWireOptions } from './http-wire.ts'
import { ResultRequests } from './result-requests.ts'
import { ServerMessages } from './server-messages.ts'
import { SessionLost, greetInTime, saysSessionLost, unlessAborted } from './session-lost.ts'
import { readStandingStream } from './standing-stream.ts'
import { progressTo } from '../progress-to.ts'
import type { CloseOptions, Link, LinkContext, LinkEvents } from '../link.ts'
import { Canceller, type Signal } from '../../base/flow/signal.ts'
import { untilAborted } from '../../base/flow/time.ts'

/** Random first ids up to this keep requests apart from those of the session's last process. */
const MOST_FIRST_ID = 2 ** 47

/** Streamable HTTP in both eras: every request is a POST of its own. */
export class HttpLink implements Link {
  readonly gone: Promise<Error>
  readonly #wire: HttpWire
  readonly #hide: HttpWireOptions['hide']
  readonly #events: LinkEvents
  readonly #messages: ServerMessages
  readonly #owner: Client | undefined
  readonly #callers: Callers
  readonly #closing = new Canceller()
  #greeting: Greeting | undefined
  #hadSession = false
  #joined = false
  readonly #results: ResultRequests
  #renewing: Promise<void> | undefined
  #lastId = 0

  constructor(options: HttpWireOptions, events: LinkEvents, owner: Client | undefined) {
    this.#wire = new HttpWire(options)
    this.#results = new ResultRequests(this.#wire)
    this.#hide = (text) => options.hide(text)
    this.#events = events
    this.#owner = owner
    this.#callers = new Callers(owner)
    this.#messages = new ServerMessages({
      events,
      callers: this.#callers,
      closing: this.#closing,
      answer: (text) => this.#discardAnswer(this.#wire.post(text, { era: 'legacy' })),
    })
    this.gone = new Promise((resolve) => {
      this.#closing.signal.addEventListener('abort', () => resolve(new Error('it was closed')))
    })
  }

  get era() {
    return this.#greeting?.era ?? 'legacy'
  }
  get version() {
    return this.#greeting?.version ?? ''
  }
  get session() {
    return this.era === 'legacy' ? this.#wire.session : undefined
  }
  get canAsk() {
    return this.era === 'modern' || this.#hadSession
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

  async greetModern(isConfigured: boolean): Promise<void> {
    const ask = async (method: string, params: JsonObject) =>
      this.#ask(method, params, { signal: this.#closing }, 'modern')
    this.#greeting = await discover(ask, isConfigured)
  }

  async greetLegacy(signal: Signal = this.#closing): Promise<void> {
    const ask = async (method: string, params: JsonObject) =>
      this.#ask(method, params, { signal }, 'legacy')
    this.#wire.enter(undefined)
    this.#greeting = await initialize(ask, this.#owner)
    this.#wire.speak(this.#greeting.version)
    const ready = await this.#wire.post(encodeNotification('notifications/initialized', {}), {
      era: 'legacy',
      signal,
    })
    ready.discard()
    const { session } = this.#wire
    void readStandingStream({
      wire: this.#wire,
      signal: this.#closing.signal,
      onMessage: (message) => this.#messages.receive(message),
      renew: async () => this.#renew(session),
    })
  }

  /** Joins a session that another process opened, for a task that runs in it. */
  join(session: string): void {
    this.#joined = true
    this.#hadSession = true
    this.#lastId = randomInt(MOST_FIRST_ID)
    this.#wire.enter(session)
    this.#wire.speak(LATEST_LEGACY)
    this.#greeting = UNGREETED
  }

  request(method: string, params: JsonObject, context: LinkContext): Promise<JsonObject> {
    return this.#callers.during(context.client, () => this.#request(method, params, context))
  }

  async #request(method: string, params: JsonObject, context: LinkContext): Promise<JsonObject> {
    const { signal } = context
    if (this.#renewing) await unlessAborted(this.#renewing, signal)
    const { session } = this.#wire
    try {
      return await this.#ask(method, params, context, this.era)
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error
      if (this.#joined) throw new TaskLost('The server has ended the session that ran this task')
      await unlessAborted(this.#renew(session), signal)
      return this.#ask(method, params, context, this.era)
    }
  }

  /** Starts a new session after the server has forgotten the last; once for all who noticed. */
  async #renew(lost: string | undefined): Promise<void> {
    if (this.#wire.session === lost || this.#wire.session === undefined)
      this.#renewing ??= greetInTime(async (signal) => this.greetLegacy(signal), this.#closing)
        .then(() => this.#events.renewed())
        .finally(() => (this.#renewing = undefined))
    await this.#renewing
  }

  notify(method: string, params: JsonObject): void {
    const { era } = this
    const headers = headersOf(method, params, { era })
    this.#discardAnswer(this.#wire.post(encodeNotification(method, params), { era, headers }))
  }

  async answer(id: RequestId, answer: JsonObject): Promise<void> {
    const response = await this.#wire.postAuthorised(encodeResult(id, answer), { era: 'legacy' })
    const text = await this.#wire.readText(response)
    if (this.#isSessionLost(response.status, parseObject(text)))
      throw new TaskLost('The server has ended the session that ran this task')
    if (response.status >= 400) throw toTransportError(response, text, this.#hide)
  }

  async close({ keepsSession = false }: CloseOptions = {}): Promise<void> {
    const stays = keepsSession || this.#joined
    if (stays) await this.#results.cancelAll()
    this.#closing.abort(new Error('closed'))
    if (!stays) await this.#wire.leave()
  }

  async #ask(
    method: string,
    params: JsonObject,
    context: LinkContext,
    era: Greeting['era'],
  ): Promise<JsonObject> {
    const waits = era === 'legacy' && method === 'tasks/result'
    const id = waits ? await this.#resultId(params) : ++this.#lastId
    const { client, signal } = context
    const sent = withEnvelope(params, client, era, id)
    const cancel = () => {
      if (era === 'legacy' && method !== 'initialize')
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
      })
      if (era === 'legacy' && method === 'initialize') this.#keepSession(response)
      const answer = this.#answer(response, id, context)
      result = await (waits ? untilAborted(answer, this.#closing) : answer)
      return result
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw error
    } finally {
      signal?.removeEventListener('abort', cancel)
      this.#messages.endProgress(id, result)
      if (waits) this.#results.end(id)
    }
  }

  async #resultId({ taskId }: JsonObject): Promise<RequestId> {
    const next = () => ++this.#lastId
    return this.#joined ? this.#results.beginAgain(taskId, next) : this.#results.begin(taskId, next)
  }

  async #answer(response: HttpResponse, id: RequestId, context: LinkContext): Promise<JsonObject> {
    if (isEventStream(response) && response.status === 200)
      return this.#streamed(response, id, context)
    const text = await this.#wire.readText(response)
    const messages = parseMessages(text)
    const isBatch = messages.length > 1
    for (const message of messages)
      if (isBatch && 'method' in message) this.#messages.receive(message, context.client)
    const answer = isBatch ? messages.find((message) => isAnswer(message, id)) : messages[0]
    if (answer && ('result' in answer || 'error' in answer)) {
      if (this.#isSessionLost(response.status, answer)) throw new SessionLost()
      return settle(answer)
    }
    if (this.#isSessionLost(response.status, undefined)) throw new SessionLost()
    throw toTransportError(response, text, this.#hide)
  }

  async #streamed(
    response: HttpResponse,
    id: RequestId,
    context: LinkContext,
  ): Promise<JsonObject> {
    const { signal = this.#closing.signal } = context
    return new Promise((resolve, reject) => {
      let answered = false
      const onMessage = (message: JsonObject) => {
        if (!isAnswer(message, id)) return this.#messages.receive(message, context.client)
        answered = true
        try {
          resolve(settle(message))
        } catch (error) {
          reject(error)
        }
      }
      const onEvent = ({ data }: SseEvent) => {
        let messages: JsonObject[]
        try {
          messages = parseMessages(data)
        } catch (error) {
          // Too large to be read, so it is probably the answer.
          answered = true
          return reject(error)
        }
        if (messages.length === 0) this.#events.log(data)
        for (const message of messages) onMessage(message)
      }
      followEvents(response, {
        read: async (...args) => this.#wire.readEvents(...args),
        onEvent,
        isDone: () => answered,
        signal,
        resume: async (lastEventId) => this.#wire.listen(signal, lastEventId),
      }).catch(reject)
    })
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
    if (typeof session !== 'string') return
    this.#wire.enter(session)
    this.#hadSession = true
  }

  #isSessionLost(status: number | undefined, message: JsonObject | undefined): boolean {
    return this.#hadSession && saysSessionLost(status, message)
  }
}

function isAnswer(message: JsonObject, id: RequestId): boolean {
  return message['id'] === id && !('method' in message)
}
