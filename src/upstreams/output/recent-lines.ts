import type { OutputLine } from '../../gateway/upstream.ts'

const MOST_LINES = 200
const MOST_CHARS = 32_000
const LONGEST_LINE = 2_000

/** The last lines that a server wrote outside of the protocol, limited in number and length. */
export class RecentLines {
  readonly #lines: OutputLine[] = []
  #chars = 0

  get lines(): readonly OutputLine[] {
    return this.#lines
  }

  add(line: string): void {
    const text = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line
    this.#lines.push({ at: Date.now(), text })
    this.#chars += text.length
    while (this.#lines.length > MOST_LINES || this.#chars > MOST_CHARS)
      this.#chars -= this.#lines.shift()?.text.length ?? 0
  }
}
