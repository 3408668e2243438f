import type { OutputLine } from '../../gateway/upstream.ts'
import type { StartOutput } from '../failures.ts'
import { nextStep, worthReading } from './explain-output.ts'
import { RecentLines } from './recent-lines.ts'

/** A server's output outside of the protocol: its last lines, and those of an unfinished start. */
export class ServerOutput {
  readonly #recent = new RecentLines()
  #start: RecentLines | undefined

  get lines(): readonly OutputLine[] {
    return this.#recent.lines
  }

  /** Starts to collect the output of a start. */
  starts(): void {
    this.#start = new RecentLines()
  }

  /** Ends the collection, because the server has started. */
  started(): void {
    this.#start = undefined
  }

  add(line: string): void {
    for (const lines of [this.#recent, this.#start]) lines?.add(line)
  }

  /** Returns what the newest process wrote before it is up, and what to do about it. */
  explainStart(server: string): StartOutput {
    const lines = this.#start?.lines.map(({ text }) => text) ?? []
    if (lines.length === 0) return {}
    const next = nextStep(server, lines)
    return { output: worthReading(lines), ...(next !== undefined && { nextStep: next }) }
  }
}
