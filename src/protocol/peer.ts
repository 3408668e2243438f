import { messageOf } from '../base/errors.ts'
import {
  MessageTooLarge,
  RPC,
  type RequestId,
  RpcError,
  type RpcFailure,
  batchProblem,
  type BatchRunner,
  createBatchRunner,
} from './json-rpc.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { ExactNumber, TooManyValues, stringifyExact } from '../base/json/exact-json.ts'
import { type Oversize, edgesOf, envelopeOf } from './framing/line-framer.ts'
import { LATE_ANSWER_MS, rememberLate } from './late-answers.ts'
import { encodeId, encodeResult, parseMessage } from './raw-text.ts'
import { Registry } from './registry.ts'
import { TaskProgress } from './eras/legacy/tasks.ts'
import { metaOf } from './versions.ts'
import { Canceller, type Signal } from '../base/flow/signal.ts'

export interface PeerHandlers {
  request(
    method: string,
    params: JsonObject,
    context: { readonly id: RequestId; readonly canceller: Canceller },
  ): Promise<JsonObject>
  notification(method: string, params: JsonObject): void
  /** Handles a line that is not a JSON-RPC message: usually other output on stdout. */
  invalid?(text: string, problem: RpcFailure, id?: RequestId): void
}

export interface PeerRequestOptions {
  readonly signal?: Signal | undefined
  readonly onProgress?: ((params: JsonObject) => void) | undefined
  /** Sends the request another way, such as over the answer stream of one HTTP request. */
  readonly via?: (text: string) => void
}

interface PendingRequest {
  readonly resolve: (result: JsonObject) => void
  readonly reject: (error: unknown) => void
  readonly onProgress?: ((params: JsonObject) => void) | undefined
  /** Stops listening for the caller's cancellation. */
  readonly release?: () => void
}

/** One side of a JSON-RPC conversation: numbers its requests, and answers the other side's. */
export class Peer {
  readonly #send: (text: string) => void
  readonly #handlers: PeerHandlers
  readonly #idPrefix: string | undefined
  readonly #pending = new Registry<PendingRequest>()
  readonly #serving = new Registry<Canceller>()
  readonly #taskProgress = new TaskProgress()
  #lastId = 0
  #closed: Error | undefined

  /** `idPrefix` keeps the ids distinct from those of other peers of the same client. */
  constructor(send: (text: string) => void, handlers: PeerHandlers, idPrefix?: string) {
    this.#send = send
    this.#handlers = handlers
    this.#idPrefix = idPrefix
  }

  /** Whether this request waits for an answer. */
  expects(id: RequestId): boolean {
    return this.#pending.get(id) !== undefined
  }

  request(
    method: string,
    params: JsonObject,
    options: PeerRequestOptions = {},
  ): Promise<JsonObject> {
    const { signal, onProgress, via = this.#send } = options
    if (this.#closed) return Promise.reject(this.#closed)
    if (signal?.aborted) return Promise.reject(signal.reason)
    const count = ++this.#lastId
    const id = this.#idPrefix === undefined ? count : `${this.#idPrefix}${count}`
    const sent = onProgress ? withProgressToken(params, id) : params
    return new Promise((resolve, reject) => {
      // First, because it fails for params that are nested too deeply: nothing must remain of those.
      const text = encodeRequest(id, method, sent)
      const abort = () => {
        this.#settle(id)?.reject(signal?.reason)
        if (signal) rememberLate(signal, this.#lateAnswer(id))
        this.notify('notifications/cancelled', { requestId: id, reason: reasonOf(signal?.reason) })
      }
      const release = () => signal?.removeEventListener('abort', abort)
      this.#pending.set(id, { resolve, reject, onProgress, release })
      signal?.addEventListener('abort', abort, { once: true })
      via(text)
    })
  }

  notify(method: string, params: JsonObject): void {
    if (!this.#closed) this.#send(encodeNotification(method, params))
  }

  receive(text: string): void {
    let message: unknown
    try {
      message = parseMessage(text)
    } catch (error) {
      if (error instanceof TooManyValues)
        return this.skip(edgesOf(text), `its message was not read: ${error.message}`)
      return this.#refuse(text, { code: RPC.parseError, message: 'Parse error: not valid JSON' })
    }
    if (Array.isArray(message)) this.#acceptBatch(message)
    else this.accept(message, text)
  }

  #acceptBatch(messages: readonly unknown[]): void {
    const problem = batchProblem(messages)
    // Passes on the problem, because the batch itself is too long for a log.
    if (problem) return this.#refuse(problem.message, problem)
    const run = createBatchRunner()
    for (const one of messages) this.accept(one, stringifyExact(one), run)
  }

  /** Takes a message that was already parsed; `text` is what it was parsed from. */
  accept(message: unknown, text: string, run?: BatchRunner): void {
    if (!isObject(message)) return this.#refuse(text, INVALID)
    const { id, method } = message
    if (typeof method === 'string') {
      const params = isObject(message['params']) ? message['params'] : {}
      if (isId(id)) void this.#serve(id, method, params, run)
      else if (isNotification(id, method)) this.#notified(method, params)
      else this.#refuse(text, INVALID)
    } else if (isId(id)) this.#answered(id, message)
    else this.#refuse(text, INVALID)
  }

  /** Handles a message that is too large to be read: an answer fails its request. */
  skip(oversize: Oversize, message: string): void {
    const { id, isAnswer } = envelopeOf(oversize)
    if (isAnswer && id !== undefined) this.fail(id, new MessageTooLarge(message))
    else this.#handlers.invalid?.(message, { code: RPC.invalidRequest, message }, id)
  }

  /** The number of requests of the other side that we have not answered yet. */
  get serving(): number {
    return this.#serving.size
  }

  /** Fails a request that was not delivered, or whose answer was too large; others continue. */
  fail(id: RequestId, error: Error): void {
    this.#settle(id)?.reject(error)
  }

  /** Ends the conversation: every open request fails with `error`, everything served is aborted. */
  close(error: Error): void {
    if (this.#closed) return
    this.#closed = error
    for (const pending of this.#pending.takeAll()) {
      pending.release?.()
      pending.reject(error)
    }
    for (const controller of this.#serving.takeAll()) controller.abort(error)
  }

  async #serve(
    id: RequestId,
    method: string,
    params: JsonObject,
    run?: BatchRunner,
  ): Promise<void> {
    if (this.#serving.get(id)) return this.#send(encodeFailure(id, inUse(id)))
    const controller = new Canceller()
    this.#serving.set(id, controller)
    let answer: string
    try {
      const ask = async () => {
        // A request of a batch may be cancelled while it waits for the others.
        if (controller.aborted) throw controller.reason
        return this.#handlers.request(method, params, { id, canceller: controller })
      }
      const result = await (run ? run(ask) : ask())
      answer = encodeResult(id, result)
    } catch (error) {
      answer = encodeFailure(id, toFailure(error))
    }
    this.#serving.take(id)
    if (!controller.aborted) this.#send(answer)
  }

  #notified(method: string, params: JsonObject): void {
    if (method === 'notifications/cancelled') {
      const id = params['requestId']
      const controller = isId(id) ? this.#serving.get(id) : undefined
      controller?.abort(
        new RpcError(RPC.invalidRequest, `Cancelled: ${reasonOf(params['reason'])}`),
      )
      if (controller) return
    }
    if (method === 'notifications/progress') {
      const token = params['progressToken']
      const onProgress = isId(token) ? this.#listenerFor(token) : undefined
      if (onProgress) return onProgress(params)
    }
    this.#handlers.notification(method, params)
  }

  #listenerFor(token: RequestId) {
    return this.#pending.get(token)?.onProgress ?? this.#taskProgress.listener(token)
  }

  #answered(id: RequestId, message: JsonObject): void {
    const pending = this.#settle(id)
    if (!pending) return
    const { error, result } = message
    if (isObject(error)) return pending.reject(fromFailure(error))
    if (!isObject(result)) return pending.reject(new RpcError(RPC.internalError, 'Empty answer'))
    if (pending.onProgress) this.#taskProgress.keep(id, result, pending.onProgress)
    pending.resolve(result)
  }

  /** Waits for the answer to a cancelled request: it only shows that the server's work is over. */
  async #lateAnswer(id: RequestId): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(id)?.resolve({}), LATE_ANSWER_MS).unref()
      const ended = () => (clearTimeout(timer), resolve())
      this.#pending.set(id, { resolve: ended, reject: ended })
    })
  }

  #settle(id: RequestId): PendingRequest | undefined {
    const pending = this.#pending.take(id)
    pending?.release?.()
    return pending
  }

  #refuse(text: string, problem: RpcFailure): void {
    this.#handlers.invalid?.(text, problem)
  }
}

/** The refusal of what is not a message. */
export const INVALID: RpcFailure = {
  code: RPC.invalidRequest,
  message: 'Invalid Request: not a JSON-RPC 2.0 message',
}

/** The refusal of a second request with an id, which would make the first one impossible to cancel. */
function inUse(id: RequestId): RpcFailure {
  return {
    code: RPC.invalidRequest,
    message: `Invalid Request: the request with the id ${encodeId(id)} is not answered yet. Give each request an id of its own.`,
  }
}

export function encodeRequest(id: RequestId, method: string, params: JsonObject): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"method":${JSON.stringify(method)},"params":${stringifyExact(params)}}`
}

export function encodeNotification(method: string, params: JsonObject): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${stringifyExact(params)}}`
}

export function encodeFailure(id: RequestId | null, failure: RpcFailure): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"error":${stringifyExact(failure)}}`
}

/** Converts an error for the other side: with its own code if it has one, never with a stack. */
export function toFailure(error: unknown): RpcFailure {
  if (error instanceof RpcError) return error.toFailure()
  return {
    code: RPC.internalError,
    message: messageOf(error),
  }
}

export function fromFailure(failure: JsonObject): RpcError {
  const code = typeof failure['code'] === 'number' ? failure['code'] : RPC.internalError
  const message = typeof failure['message'] === 'string' ? failure['message'] : 'Unknown error'
  return new RpcError(code, message, failure['data'])
}

export function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber
}

/** Some senders give a notification an id, which is null. */
function isNotification(id: unknown, method: string): boolean {
  return id === undefined || method.startsWith('notifications/')
}

export function isMessage(value: unknown): value is JsonObject {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return false
  const { id, method } = value
  if (typeof method === 'string') return isId(id) || isNotification(id, method)
  return isId(id) && ('result' in value || 'error' in value)
}

function withProgressToken(params: JsonObject, token: RequestId): JsonObject {
  return { ...params, _meta: { ...metaOf(params), progressToken: token } }
}

function reasonOf(reason: unknown): string {
  if (reason instanceof Error) return reason.message
  return typeof reason === 'string' ? reason : 'cancelled'
}
