import type { OutputLine } from '../../gateway/upstream.ts'

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
