import type { Worker } from 'node:worker_threads'
import { DocumentError, type DocumentErrorCode } from '../documents/document-error.ts'
import type { PageWatch } from '../documents/document.ts'
import type { DocumentReader, ReadDocument, ReadRequest, ReadWatch } from './document-reader.ts'

export type FromReader =
  | { readonly type: 'page'; readonly page: number; readonly pages: number }
  | { readonly type: 'read'; readonly document: ReadDocument }
  | { readonly type: 'refused'; readonly error: Refused }
  | { readonly type: 'failed'; readonly message: string }

/** A `DocumentError` in the form that is sent between threads. */
interface Refused {
  readonly code: DocumentErrorCode
  readonly message: string
  readonly suggestion: string
}

/** The time after which an idle worker thread ends. */
const IDLE_MS = 10_000
/** The time limit for a document, or for one page of it. */
const TIMEOUT_MS = 180_000

/**
 * Reads documents in a worker thread: a document of two thousand pages does not block other work,
 * an endless one can be abandoned, and one that exhausts the memory ends only the thread.
 */
export class DocumentThread implements DocumentReader {
  readonly #start: () => Worker
  readonly #timeoutMs: number
  #worker: Worker | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  constructor(start: () => Worker, timeoutMs = TIMEOUT_MS) {
    this.#start = start
    this.#timeoutMs = timeoutMs
  }

  /** Reads one document at a time, because a thread uses only one processor. */
  async read(request: ReadRequest, watch: ReadWatch = {}): Promise<ReadDocument> {
    const reading = this.#turn.then(async () => this.#read(request, watch))
    this.#turn = reading.catch(() => {})
    return reading
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  /** Starts a thread. It may also fail between two documents, when nothing waits for an answer. */
  #open(): Worker {
    const worker = this.#start()
    const lost = () => {
      if (this.#worker === worker) this.#worker = undefined
    }
    return worker.on('error', lost).on('exit', lost)
  }

  async #read(request: ReadRequest, { signal, onPage }: ReadWatch): Promise<ReadDocument> {
    signal?.throwIfAborted()
    clearTimeout(this.#idle)
    const worker = (this.#worker ??= this.#open())
    worker.ref()
    const giveUp = () => void this.close()
    signal?.addEventListener('abort', giveUp, { once: true })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      giveUp()
    }, this.#timeoutMs)
    try {
      const answer = await answerOf(worker, request, (page, pages) => {
        timer.refresh()
        onPage?.(page, pages)
      })
      return documentOf(answer)
    } catch (error) {
      signal?.throwIfAborted()
      if (isLate) throw tooLong(request, this.#timeoutMs)
      throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
      this.#worker?.unref()
      this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref()
    }
  }
}

type Answer = Exclude<FromReader, { readonly type: 'page' }>

function documentOf(answer: Answer): ReadDocument {
  if (answer.type === 'read') return answer.document
  if (answer.type === 'failed') throw new Error(answer.message)
  const { code, message, suggestion } = answer.error
  throw new DocumentError(code, message, suggestion)
}

/** Returns the thread's answer; rejects only if the thread ends before it answers. */
async function answerOf(worker: Worker, request: ReadRequest, onPage: PageWatch): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const listeners = {
      message(message: FromReader) {
        if (message.type === 'page') return onPage(message.page, message.pages)
        stop()
        resolve(message)
      },
      error(error: Error) {
        stop()
        reject(Reflect.get(error, 'code') === OUT_OF_MEMORY ? tooLarge(request, error) : error)
      },
      exit() {
        stop()
        reject(new Error(`The reader ended while it read ${request.name}`))
      },
    }
    function stop(): void {
      for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener)
    }
    for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener)
    // A thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(request)
  })
}

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'

function tooLong({ name }: ReadRequest, timeoutMs: number): DocumentError {
  return new DocumentError(
    'too_large',
    `${name} was not read within ${timeoutMs / 1000} seconds`,
    'Split the document into parts, or save it in another format.',
  )
}

function tooLarge({ name }: ReadRequest, cause: Error): DocumentError {
  return new DocumentError(
    'too_large',
    `${name} takes more memory than a document may`,
    'Split the document into parts.',
    { cause },
  )
}
