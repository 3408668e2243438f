import type { Client } from '../../gateway/call.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { Canceller, type Signal, onAbort } from '../../base/flow/signal.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import { encodeFailure, isId, toFailure } from '../../protocol/peer.ts'
import { encodeResult } from '../../protocol/raw-text.ts'
import { Registry } from '../../protocol/registry.ts'
import { TaskProgress } from '../../protocol/eras/legacy/tasks.ts'
import type { Callers } from '../connections/callers.ts'
import type { LinkEvents } from '../link.ts'

export interface ServerMessagesParts {
  readonly events: LinkEvents
  readonly callers: Callers
  readonly closing: Signal
  /** Sends the answer to a question. */
  readonly answer: (text: string) => void
}

/**
 * Handles the messages that a server sends by itself. Each may come on the stream of any call or
 * outside of calls, so questions and progress are found by their ids.
 */
export class ServerMessages {
  readonly #parts: ServerMessagesParts
  readonly #questions = new Registry<Canceller>()
  readonly #progress = new Registry<(update: JsonObject) => void>()
  readonly #taskProgress = new TaskProgress()

  constructor(parts: ServerMessagesParts) {
    this.#parts = parts
  }

  /** Passes on the progress of a request, whose id is its token. */
  followProgress(id: RequestId, onProgress: ((update: JsonObject) => void) | undefined): void {
    if (onProgress) this.#progress.set(id, onProgress)
  }

  /** `result` is the answer to the request, if there was one. */
  endProgress(id: RequestId, result: JsonObject = {}): void {
    const onProgress = this.#progress.take(id)
    if (onProgress) this.#taskProgress.keep(id, result, onProgress)
  }

  /** `caller` is the client of the call on whose stream the message came. */
  receive(message: JsonObject, caller?: Client): void {
    const { id, method } = message
    if (typeof method !== 'string') return
    const params = isObject(message['params']) ? message['params'] : {}
    if (isId(id)) return void this.#serve(id, method, params, caller)
    const { requestId, progressToken } = params
    if (method === 'notifications/cancelled' && isId(requestId))
      this.#questions.get(requestId)?.abort(new Error('Cancelled by the server'))
    else if (method === 'notifications/progress' && isId(progressToken))
      this.#listenerFor(progressToken)?.(params)
    else this.#parts.events.notification(method, params, caller ?? this.#parts.callers.origin)
  }

  #listenerFor(token: RequestId) {
    return this.#progress.get(token) ?? this.#taskProgress.listener(token)
  }

  async #serve(
    id: RequestId,
    method: string,
    params: JsonObject,
    caller: Client | undefined,
  ): Promise<void> {
    const { events, callers, closing, answer } = this.#parts
    const canceller = new Canceller()
    const release = onAbort(closing, () => canceller.abort(closing.reason))
    this.#questions.set(id, canceller)
    const origin = async () => caller ?? callers.clientFor(method, canceller)
    const text = await events.request(method, params, { signal: canceller, origin }).then(
      (result) => encodeResult(id, result),
      (error: unknown) => encodeFailure(id, toFailure(error)),
    )
    this.#questions.take(id)
    release()
    if (!canceller.aborted) answer(text)
  }
}
