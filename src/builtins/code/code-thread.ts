import type { Worker } from 'node:worker_threads'
import { type RpcFailure, RpcError } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { withTimeout } from '../../base/flow/time.ts'
import type { ProgressUpdate, Project, ServiceContext } from '../../protocol/service.ts'
import type { EmbedderSettings } from '../../search/embed/create-embedder.ts'
import type { ModelBytes } from '../../search/embed/static/model-bytes.ts'
import type { Environment } from '../../base/environment.ts'
import type { CodeDeps } from './tools/code-deps.ts'

/** The settings the thread starts with: only values that can be copied. */
export interface ThreadSettings {
  readonly home: string | undefined
  readonly freshnessBudgetMs: number | undefined
  readonly autoIndex: boolean | undefined
  readonly project: string | undefined
  readonly env: Environment
  readonly embedding: EmbedderSettings | undefined
  /** The bundled model, shared and not copied; absent if its file cannot be used. */
  readonly modelBytes?: ModelBytes | undefined
}

export type ToThread =
  | {
      readonly type: 'call'
      readonly id: number
      readonly method: string
      readonly params: JsonObject
      readonly agent: string | undefined
      readonly isRemote: boolean
      /** Absent if it could not be determined; a call that names its index does not need it. */
      readonly project: Project | undefined
      readonly dashboardUrl: string | undefined
    }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'close' }

export type FromThread =
  | { readonly type: 'result'; readonly id: number; readonly result: JsonObject }
  | {
      readonly type: 'failure'
      readonly id: number
      readonly message: string
      readonly rpc?: RpcFailure
    }
  /** The thread confirms that a call was cancelled, so it is still responsive. */
  | { readonly type: 'aborted'; readonly id: number }
  | { readonly type: 'progress'; readonly id: number; readonly update: ProgressUpdate }
  /** The thread confirms that it closes, so it is still responsive. */
  | { readonly type: 'closing' }
  | { readonly type: 'closed' }

interface Waiting {
  readonly resolve: (result: JsonObject) => void
  readonly reject: (error: Error) => void
  readonly progress: (update: ProgressUpdate) => void
  /** Runs from the cancellation of the call until the thread confirms it. */
  silence?: NodeJS.Timeout
}

/** How long the thread may be unresponsive: loading a large index takes a few seconds. */
const GRACE_MS = 10_000
/** The same where the process ends: what is lost then is found again by the next search. */
const CLOSING_GRACE_MS = 2_000

/**
 * Runs the code server in a worker thread: walking, ranking and loading a large index happen there
 * and do not block the gateway's event loop. The first call starts the thread. It is restarted when
 * it has died, or when it does not confirm a cancellation, so that a call that never ends cannot
 * block the others.
 */
export class CodeThread {
  readonly #start: () => Worker
  readonly #graceMs: number
  readonly #dashboardUrl: CodeDeps['dashboardUrl']
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #next = 0
  /** Called as the thread closes and when it has closed. */
  readonly #ending: { closing?: () => void; closed?: () => void } = {}

  constructor(
    start: () => Worker,
    dashboardUrl: CodeDeps['dashboardUrl'],
    graceMs: number = GRACE_MS,
  ) {
    this.#start = start
    this.#dashboardUrl = dashboardUrl
    this.#graceMs = graceMs
  }

  async call(method: string, params: JsonObject, context: ServiceContext): Promise<JsonObject> {
    const { agent, isRemote, signal } = context
    const project = await context.project().catch(() => undefined)
    // The address is known only once the pages are served.
    const dashboardUrl =
      params['name'] === 'open_dashboard' ? await this.#dashboardUrl() : undefined
    signal.throwIfAborted()
    const id = this.#next++
    const abort = (): void => this.#abort(id)
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, progress: (update) => context.progress(update) })
        this.#send({
          type: 'call',
          id,
          method,
          params,
          agent,
          isRemote,
          project,
          dashboardUrl,
        })
      })
    } finally {
      signal.removeEventListener('abort', abort)
      clearTimeout(this.#waiting.get(id)?.silence)
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) this.#worker?.unref()
    }
  }

  /** Lets the thread save what it holds, unless it is unresponsive, then ends it. */
  async close(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    worker.ref()
    const closing = new Promise<boolean>((resolve) => {
      this.#ending.closing = () => resolve(true)
    })
    const closed = new Promise<void>((resolve) => {
      this.#ending.closed = resolve
    })
    this.#send({ type: 'close' })
    const graceMs = Math.min(this.#graceMs, CLOSING_GRACE_MS)
    if (await withTimeout(closing, graceMs, () => false))
      await withTimeout(closed, this.#graceMs, () => undefined)
    await worker.terminate()
    this.#worker = undefined
  }

  #send(message: ToThread): void {
    this.#worker ??= this.#open()
    this.#worker.ref()
    // A thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker.postMessage(message)
  }

  #abort(id: number): void {
    const worker = this.#worker
    const waiting = this.#waiting.get(id)
    if (!worker || !waiting) return
    this.#send({ type: 'abort', id })
    waiting.silence = setTimeout(() => {
      this.#lost(
        worker,
        new Error(
          'The code server was busy with one call for too long and was restarted. Ask again.',
        ),
      )
      void worker.terminate()
    }, this.#graceMs)
  }

  #open(): Worker {
    const worker = this.#start()
    worker.on('message', (message: FromThread) => this.#receive(message))
    worker.on('error', (error) =>
      this.#lost(
        worker,
        new Error(`The code server failed: ${error.message}. Ask again.`, { cause: error }),
      ),
    )
    worker.on('exit', () => this.#lost(worker, new Error('The code server ended. Ask again.')))
    return worker
  }

  #receive(message: FromThread): void {
    if (!('id' in message)) return this.#ending[message.type]?.()
    const waiting = this.#waiting.get(message.id)
    if (message.type === 'aborted') clearTimeout(waiting?.silence)
    else if (message.type === 'progress') waiting?.progress(message.update)
    else if (message.type === 'result') waiting?.resolve(message.result)
    else if (message.rpc)
      waiting?.reject(new RpcError(message.rpc.code, message.rpc.message, message.rpc.data))
    else waiting?.reject(new Error(message.message))
  }

  /** Waiting calls belong to the current thread; the end of an earlier one does not fail them. */
  #lost(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    this.#ending.closing?.()
    this.#ending.closed?.()
    for (const { reject } of this.#waiting.values()) reject(error)
  }
}
