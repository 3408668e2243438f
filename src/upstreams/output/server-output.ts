import type { OutputLine } from '../../gateway/upstream.ts'
import type { StartOutput } from '../failures.ts'
import { nextStep, worthReading } from './explain-output.ts'
import { RecentLines } from './recent-lines.ts'

/** What a server writes beside the protocol: its last lines, and those of a start that has not ended. */
export class ServerOutput {
  readonly #recent = new RecentLines()
  #start: RecentLines | undefined

  get lines(): readonly OutputLine[] {
    return this.#recent.lines
  }

  /** What it writes from now on is about its start. */
  starts(): void {
    this.#start = new RecentLines()
  }

  /** From now on it writes about calls. */
  started(): void {
    this.#start = undefined
  }

  add(line: string): void {
    for (const lines of [this.#recent, this.#start]) lines?.add(line)
  }

  /** What the newest process wrote while it is not up yet, and what to do about it. */
  explainStart(server: string): StartOutput {
    const lines = this.#start?.lines.map(({ text }) => text) ?? []
    if (lines.length === 0) return {}
    const next = nextStep(server, lines)
    return { output: worthReading(lines), ...(next !== undefined && { nextStep: next }) }
  }
}
