import type { OutputLine } from '../../gateway/upstream.ts'
import type { StartOutput } from '../failures.ts'
import { nextStep, worthReading } from './explain-output.ts'

const MAX_LINES = 200
const MAX_CHARS = 32_000
const MAX_LINE_LENGTH = 2_000

/** The last lines that a server wrote outside of the protocol, limited in number and length. */
export class RecentLines {
  readonly #lines: OutputLine[] = []
  #chars = 0

  get lines(): readonly OutputLine[] {
    return this.#lines
  }

  add(line: string): void {
    const text = line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line
    this.#lines.push({ at: Date.now(), text })
    this.#chars += text.length
    while (this.#lines.length > MAX_LINES || this.#chars > MAX_CHARS)
      this.#chars -= this.#lines.shift()?.text.length ?? 0
  }
}

/** A server's output outside of the protocol: its last lines, and those of an unfinished start. */
export class ServerOutput {
  readonly #recent = new RecentLines()
  /** What to do about a line of an unfinished start, where that is known. */
  #advice: string | undefined
  #start: RecentLines | undefined

  get lines(): readonly OutputLine[] {
    return this.#recent.lines
  }

  /** Starts to collect the output of a start. */
  starts(): void {
    this.#start = new RecentLines()
    this.#advice = undefined
  }

  /** Ends the collection, because the server has started. */
  started(): void {
    this.#start = undefined
  }

  add(line: string, advice?: string): void {
    for (const lines of [this.#recent, this.#start]) lines?.add(line)
    if (advice === undefined || advice === this.#advice) return
    this.#advice = advice
    this.#recent.add(`→ ${advice}`)
  }

  /** Returns what the newest process wrote before it is up, and what to do about it. */
  explainStart(server: string): StartOutput {
    const lines = this.#start?.lines.map(({ text }) => text) ?? []
    if (lines.length === 0) return {}
    const next = this.#advice ?? nextStep(server, lines)
    return { output: worthReading(lines), ...(next !== undefined && { nextStep: next }) }
  }
}
