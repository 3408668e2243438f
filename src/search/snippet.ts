export interface Snippet {
  readonly text: string
  /** The line of the file at which the snippet begins, 1-based. */
  readonly startLine: number
  readonly endLine: number
}

export interface SnippetOptions {
  /** The line of the file at which the text begins; 1 by default. */
  readonly startLine?: number
  readonly maxLines?: number
}

const WORD = /[\p{L}\p{N}_]+/gu

/** The window of a text that names the most of the terms, the earliest among equals. */
export function snippet(
  text: string,
  terms: (word: string) => boolean,
  options: SnippetOptions = {},
): Snippet {
  const { startLine = 1, maxLines = 12 } = options
  const lines = text.split('\n')
  const worth = lines.map((line) => new Set(line.match(WORD)?.filter(terms)).size)
  let sum = worth.slice(0, maxLines).reduce((a, b) => a + b, 0)
  let best = { at: 0, sum }
  for (let at = 1; at + maxLines <= lines.length; at++) {
    sum += (worth[at + maxLines - 1] ?? 0) - (worth[at - 1] ?? 0)
    if (sum > best.sum) best = { at, sum }
  }
  const window = lines.slice(best.at, best.at + maxLines)
  return {
    text: window.join('\n'),
    startLine: startLine + best.at,
    endLine: startLine + best.at + window.length - 1,
  }
}
