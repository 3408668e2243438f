import { RpcError } from '../../../src/protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../../src/base/json/json.ts'
import {
  ANSWERS,
  type AskOptions,
  CAPABILITIES,
  CLIENT_INFO,
  type Heard,
  type Session,
} from './session.ts'

/** Sends messages to the gateway; received messages go to the callback of `RawClient`. */
export interface Wire {
  send(text: string, message: JsonObject): void
  /** Cancels by closing the request; without it, a notification cancels. */
  readonly cancel?: (id: number) => void
  close(): Promise<void>
}

interface Pending {
  readonly settle: (message: JsonObject, text: string) => void
  readonly onProgress: ((params: JsonObject) => void) | undefined
}

const META = 'io.modelcontextprotocol/'

/** Marks text to be sent unquoted, such as a number that no double can hold. */
export function bare(text: string): string {
  return `bare:${text}`
}

/** A JSON-RPC client without a library, so that tests can see every byte. */
export class RawClient implements Session {
  readonly era: 'legacy' | 'modern'
  readonly heard: Heard[] = []
  /** Its answers to requests of servers, by method. */
  readonly answers: Record<string, JsonObject> = { ...ANSWERS }
  /** The requests of servers so far. */
  readonly asked: Heard[] = []
  capabilities: JsonObject = CAPABILITIES
  info: JsonObject = CLIENT_INFO
  readonly #pending = new Map<number, Pending>()
  readonly #wire: Wire
  /** The session it was given, over HTTP. */
  sessionId: string | undefined
  #lastId = 0

  constructor(era: 'legacy' | 'modern', connect: (receive: (text: string) => void) => Wire) {
    this.era = era
    this.#wire = connect((text) => this.#receive(text))
  }

  async greet(): Promise<JsonObject> {
    if (this.era === 'modern') return this.request('server/discover')
    const result = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: this.capabilities,
      clientInfo: this.info,
    })
    this.notify('notifications/initialized')
    return result
  }

  notify(method: string, params: JsonObject = {}): void {
    this.#send({ jsonrpc: '2.0', method, params })
  }

  async request(
    method: string,
    params: JsonObject = {},
    options: AskOptions = {},
  ): Promise<JsonObject> {
    let sent = params
    for (;;) {
      const { message } = await this.#ask(method, sent, options)
      const { error, result } = message
      if (isObject(error))
        throw new RpcError(Number(error['code']), String(error['message']), error['data'])
      if (!isObject(result)) throw new Error(`no result in ${JSON.stringify(message)}`)
      if (result['resultType'] !== 'input_required') return result
      sent = { ...params, ...this.#answersTo(result) }
    }
  }

  text = async (method: string, params: JsonObject): Promise<string> =>
    (await this.#ask(method, params, {})).text

  async subscribe(uris: readonly string[]): Promise<void> {
    if (this.era === 'legacy') {
      for (const uri of uris) await this.request('resources/subscribe', { uri })
      return
    }
    const notifications = { toolsListChanged: true, resourceSubscriptions: uris }
    this.#ask('subscriptions/listen', { notifications }, {}).catch(() => undefined)
    await until(() => this.heard.some(({ method }) => method.endsWith('/acknowledged')))
  }

  async close(): Promise<void> {
    await this.#wire.close()
  }

  async #ask(
    method: string,
    params: JsonObject,
    { signal, onProgress }: AskOptions,
  ): Promise<{ message: JsonObject; text: string }> {
    const id = ++this.#lastId
    const meta = {
      ...(isObject(params['_meta']) && params['_meta']),
      ...(onProgress && { progressToken: id }),
      ...(this.era === 'modern' && {
        [`${META}protocolVersion`]: '2026-07-28',
        [`${META}clientCapabilities`]: this.capabilities,
        [`${META}clientInfo`]: this.info,
      }),
    }
    const sent = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params
    return new Promise((resolve, reject) => {
      this.#pending.set(id, {
        onProgress,
        settle: (message, text) => resolve({ message, text }),
      })
      signal?.addEventListener('abort', () => {
        if (!this.#pending.delete(id)) return
        reject(new Error('cancelled'))
        if (this.#wire.cancel) this.#wire.cancel(id)
        else this.notify('notifications/cancelled', { requestId: id })
      })
      this.#send({ jsonrpc: '2.0', id, method, params: sent })
    })
  }

  #send(message: JsonObject): void {
    this.#wire.send(JSON.stringify(message).replaceAll(/"bare:([^"]*)"/g, '$1'), message)
  }

  #receive(text: string): void {
    const message: unknown = JSON.parse(text)
    if (!isObject(message)) throw new Error(`no message: ${text}`)
    const { id, method } = message
    const params = isObject(message['params']) ? message['params'] : {}
    if (typeof method !== 'string') {
      this.#pending.get(Number(id))?.settle(message, text)
      this.#pending.delete(Number(id))
    } else if (id !== undefined) this.#answer(id, method, params)
    else if (method === 'notifications/progress')
      this.#pending.get(Number(params['progressToken']))?.onProgress?.(params)
    else this.heard.push({ method, params })
  }

  #answersTo({ inputRequests, requestState }: JsonObject): JsonObject {
    const questions = isObject(inputRequests) ? inputRequests : {}
    const inputResponses = Object.fromEntries(
      Object.entries(questions).map(([key, question]) => [
        key,
        this.#answerTo(isObject(question) ? question : {}),
      ]),
    )
    return { inputResponses, ...(requestState !== undefined && { requestState }) }
  }

  #answerTo({ method, params }: JsonObject): JsonObject | undefined {
    this.asked.push({ method: String(method), params: isObject(params) ? params : {} })
    return this.answers[String(method)]
  }

  #answer(id: unknown, method: string, params: JsonObject): void {
    const result = this.#answerTo({ method, params })
    const error = { code: -32_601, message: `Method not found: ${method}` }
    this.#send({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) })
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}
