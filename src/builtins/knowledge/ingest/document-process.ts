import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { keepAlive } from '../../../base/flow/start-process.ts'
import { DocumentError, type DocumentErrorCode } from '../documents/document-error.ts'
import type { PageWatch } from '../documents/document.ts'
import type { DocumentReader, ReadDocument, ReadRequest, ReadWatch } from './document-reader.ts'

export type FromReader =
  | { readonly type: 'page'; readonly page: number; readonly pages: number }
  | { readonly type: 'read'; readonly document: ReadDocument }
  | { readonly type: 'refused'; readonly error: Refused }
  | { readonly type: 'failed'; readonly message: string }

/** A `DocumentError` in the form that is sent between processes. */
interface Refused {
  readonly code: DocumentErrorCode
  readonly message: string
  readonly suggestion: string
}

/** The time after which an idle process ends. */
const IDLE_MS = 10_000
/** The time limit for a document, or for one page of it. */
const TIMEOUT_MS = 180_000

/**
 * Reads documents in another process: a document of two thousand pages does not block other work,
 * an endless one can be abandoned, and one that exhausts the memory ends only that process.
 */
export class DocumentProcess implements DocumentReader {
  readonly #start: () => ChildProcess
  readonly #timeoutMs: number
  #child: ChildProcess | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  constructor(start: () => ChildProcess, timeoutMs = TIMEOUT_MS) {
    this.#start = start
    this.#timeoutMs = timeoutMs
  }

  /** Reads one document at a time, because a process uses only one processor. */
  async read(request: ReadRequest, watch: ReadWatch = {}): Promise<ReadDocument> {
    const reading = this.#turn.then(async () => this.#read(request, watch))
    this.#turn = reading.catch(() => {})
    return reading
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const child = this.#child
    this.#child = undefined
    if (child?.kill('SIGKILL')) await once(child, 'exit')
  }

  /** Starts a process. It may also fail between two documents, when nothing waits for an answer. */
  #open(): ChildProcess {
    const child = this.#start()
    const lost = () => {
      if (this.#child === child) this.#child = undefined
    }
    return child.on('error', lost).on('exit', lost)
  }

  async #read(request: ReadRequest, { signal, onPage }: ReadWatch): Promise<ReadDocument> {
    signal?.throwIfAborted()
    clearTimeout(this.#idle)
    const child = (this.#child ??= this.#open())
    keepAlive(child, true)
    const giveUp = () => void this.close()
    signal?.addEventListener('abort', giveUp, { once: true })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      giveUp()
    }, this.#timeoutMs)
    try {
      const answer = await answerOf(child, request, (page, pages) => {
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
      keepAlive(child, false)
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

/** Returns the answer of the process; rejects only if it ends before it answers. */
async function answerOf(
  child: ChildProcess,
  request: ReadRequest,
  onPage: PageWatch,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const listeners = {
      message(message: FromReader) {
        if (message.type === 'page') return onPage(message.page, message.pages)
        stop()
        resolve(message)
      },
      error(error: Error) {
        stop()
        reject(error)
      },
      exit(code: number | null, signal: NodeJS.Signals | null) {
        stop()
        const ended = new Error(`The reader ended while it read ${request.name}`)
        reject(!child.killed && isOutOfMemory(code, signal) ? tooLarge(request, ended) : ended)
      },
    }
    function stop(): void {
      for (const [event, listener] of Object.entries(listeners)) child.off(event, listener)
    }
    for (const [event, listener] of Object.entries(listeners)) child.on(event, listener)
    child.send(request, (error) => {
      if (error) listeners.error(error)
    })
  })
}

/** V8 ends a process that needs more than its limit; the system ends one that needs all it has. */
function isOutOfMemory(code: number | null, signal: NodeJS.Signals | null): boolean {
  return code === ABORTED || signal === 'SIGABRT' || signal === 'SIGKILL'
}

/** The exit code of an aborted process where there are no signals. */
const ABORTED = 134

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
