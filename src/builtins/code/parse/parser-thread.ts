import type { Worker } from 'node:worker_threads'
import { startThread } from '../../../base/flow/start-thread.ts'
import type { FoundName } from './find-names.ts'
import type { ParsedSymbols } from './parse-symbols.ts'

/** What to find in a file: its definitions, every call in it, or every use of some names. */
export type Want = 'symbols' | 'calls' | { readonly names: readonly string[] }

export interface ParseRequest {
  readonly id: number
  readonly file: string
  readonly grammar: string
  readonly want: Want
}

export interface ParseAnswer extends Partial<ParsedSymbols> {
  readonly id: number
  /** The hash of the parsed content: the file may have changed since the request. */
  readonly hash?: string
  /** Absent if the file cannot be parsed. */
  readonly names?: readonly FoundName[] | undefined
}

/**
 * A worker thread that parses files in turn, so that parsing does not slow down other threads or
 * use their memory.
 */
export class ParserThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, (answer: ParseAnswer) => void>()
  #next = 0
  #dead: Error | undefined

  constructor(projectRoot: string) {
    this.#worker = startThread('builtins/code/parse/parse-worker', { workerData: projectRoot })
    this.#worker.unref()
    this.#worker.on('message', (answer: ParseAnswer) => this.#settle(answer))
    this.#worker.on('error', (error) => this.#die(error))
    this.#worker.on('exit', () => this.#die(new Error('The parser thread has ended')))
  }

  get isAlive(): boolean {
    return this.#dead === undefined
  }

  async parse(file: string, grammar: string, want: Want = 'symbols'): Promise<ParseAnswer> {
    const id = this.#next++
    if (this.#dead) return { id, parse: { status: 'error', message: this.#dead.message } }
    this.#worker.ref()
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      // A thread has no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      this.#worker.postMessage({ id, file, grammar, want } satisfies ParseRequest)
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #settle(answer: ParseAnswer): void {
    this.#waiting.get(answer.id)?.(answer)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#worker.unref()
  }

  #die(error: Error): void {
    this.#dead ??= error
    for (const id of this.#waiting.keys())
      this.#settle({ id, parse: { status: 'error', message: error.message } })
  }
}
