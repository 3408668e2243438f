import { ERAS } from '../../protocol/eras/eras.ts'
import { randomBytes } from 'node:crypto'
import type { JsonObject } from '../../base/json/json.ts'
import { Canceller, type Signal } from '../../base/flow/signal.ts'
import { RPC, type RpcFailure, RpcError } from '../../protocol/json-rpc.ts'
import { untilAborted } from '../../base/flow/time.ts'
import { messageOf } from '../../base/errors.ts'
import type { CallResult, Client } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { OpenQuestions } from '../questions/open-questions.ts'

type Outcome =
  | { readonly status: 'completed'; readonly result: CallResult }
  | { readonly status: 'failed'; readonly error: RpcFailure }
  | { readonly status: 'cancelled' }

export interface HeldTaskOptions {
  readonly owner: string
  readonly ttlMs: number
  /** Whether its client is asked only through the task, so that a question hands it over. */
  readonly asksAsTask?: boolean
  /** The id from an earlier process, if this one continues its task. */
  readonly heldId?: string
  /** Whether nothing of it is stored, because its client asks this process alone. */
  readonly endsWithProcess?: boolean
}

const POLL_INTERVAL_MS = 1000

/**
 * A call that goes on in this process while its client polls for the result: of a server that does
 * not know tasks, or whose tasks are of another era than its client's.
 */
export class HeldTask {
  readonly heldId: string
  readonly owner: string
  readonly createdAt = Date.now()
  readonly ttlMs: number
  readonly endsWithProcess: boolean
  readonly #asksAsTask: boolean
  readonly #questions = new OpenQuestions()
  readonly #canceller = new Canceller()
  readonly #listeners = new Set<() => void>()
  #updatedAt = this.createdAt
  #handedOver = false
  #message: string | undefined
  #changes = 0
  #outcome: Outcome | undefined

  constructor(options: HeldTaskOptions) {
    const { owner, ttlMs, asksAsTask = false, heldId = randomBytes(8).toString('hex') } = options
    this.endsWithProcess = options.endsWithProcess === true
    this.heldId = heldId
    this.owner = owner
    this.ttlMs = ttlMs
    this.#asksAsTask = asksAsTask
  }

  /** Aborts when the task is cancelled. */
  get signal(): Signal {
    return this.#canceller
  }

  get ended(): boolean {
    return this.#outcome !== undefined
  }

  /** Whether its client polls. */
  get handedOver(): boolean {
    return this.#handedOver
  }

  /** Whether it waits for an answer of its client. */
  get asks(): boolean {
    return !this.ended && this.#questions.size > 0
  }

  get result(): CallResult | undefined {
    return this.#outcome?.status === 'completed' ? this.#outcome.result : undefined
  }

  /** Follows the call to its end, and passes on its outcome. */
  async run(work: Promise<CallResult>): Promise<CallResult> {
    try {
      const result = await work
      this.#end({ status: 'completed', result })
      return result
    } catch (error) {
      this.#end({ status: 'failed', error: toRpcFailure(error) })
      throw error
    }
  }

  /** From now on its client polls, and is asked through the task. */
  handOver(): void {
    this.#handedOver = true
  }

  /**
   * Returns the client as the server sees it: the caller itself until the task is handed over.
   * `key` is the server's own key of the question, if it has one.
   */
  clientFor(client: Client, key?: string): Client {
    return {
      ...client,
      request: async (method, params, options) => {
        if (!this.#handedOver && !this.#asksAsTask) return client.request(method, params, options)
        const answer = this.#questions.ask(method, params, key)
        this.#change()
        return answer
      },
      notify: (method, params) => {
        if (!this.#handedOver) return client.notify(method, params)
        if (method !== 'notifications/progress' || this.ended) return
        // In 2025-11-25 the token of a request stays valid until its task ends.
        if (ERAS[client.era].asksForTasks) client.notify(method, params)
        // In the extension tasks have no progress, so its message becomes that of the status.
        const { message } = params
        if (typeof message === 'string') this.#change(message)
      },
    }
  }

  /** Returns the whole state, in the form of the extension. */
  describe(taskId: string): JsonObject {
    const outcome = this.#outcome
    const { asks } = this
    return {
      taskId,
      status: outcome?.status ?? (asks ? 'input_required' : 'working'),
      ...(this.#message !== undefined && { statusMessage: this.#message }),
      createdAt: new Date(this.createdAt).toISOString(),
      lastUpdatedAt: new Date(this.#updatedAt).toISOString(),
      ttlMs: this.ttlMs,
      pollIntervalMs: POLL_INTERVAL_MS,
      ...(asks && { inputRequests: this.#questions.requests }),
      ...(outcome?.status === 'completed' && { result: outcome.result }),
      ...(outcome?.status === 'failed' && { error: outcome.error }),
    }
  }

  answer(responses: unknown): void {
    this.#questions.answer(responses)
    this.#change()
  }

  cancel(message: string): void {
    if (this.#outcome) return
    this.#message = message
    this.#end({ status: 'cancelled' })
    const reason = new GatewayError('CANCELLED', message)
    this.#questions.abandon(reason)
    this.#canceller.abort(reason)
  }

  get changes(): number {
    return this.#changes
  }

  /** Resolves when there are more changes than the caller has seen. */
  async changedSince(seen: number | undefined, signal: Signal): Promise<void> {
    if (this.#changes !== seen) return
    let wake: (() => void) | undefined
    const changed = new Promise<void>((resolve) => {
      wake = resolve
    })
    const unsubscribe = this.onChange(() => wake?.())
    await untilAborted(changed, signal).finally(unsubscribe)
  }

  /** Called with every change; returns the function to unsubscribe. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #end(outcome: Outcome): void {
    if (this.#outcome) return
    this.#outcome = outcome
    if (outcome.status === 'failed') this.#message = outcome.error.message
    this.#change()
  }

  #change(message = this.#message): void {
    this.#message = message
    this.#updatedAt = Date.now()
    this.#changes += 1
    for (const listener of this.#listeners) listener()
  }
}

function toRpcFailure(error: unknown): RpcFailure {
  if (error instanceof RpcError) return error.toFailure()
  if (error instanceof GatewayError)
    return { code: error.rpcCode, message: error.message, data: error.toObject() }
  return { code: RPC.internalError, message: messageOf(error) }
}
