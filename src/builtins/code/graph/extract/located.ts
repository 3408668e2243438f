import type { ImportRef } from '../import-ref.ts'

export interface Located {
  /** Group 1 of the pattern. */
  readonly specifier: string
  readonly line: number
  readonly match: RegExpMatchArray
}

/** Every match of a pattern with its line. */
export function located(text: string, pattern: RegExp): Located[] {
  const found: Located[] = []
  let line = 1
  let counted = 0
  for (const match of text.matchAll(pattern)) {
    for (; counted < match.index; counted++) if (text.charCodeAt(counted) === 10) line++
    found.push({ specifier: match[1] ?? '', line, match })
  }
  return found
}

/** Runs one pattern over the text; group 1 is the specifier. */
export function each(text: string, pattern: RegExp, kind: string): ImportRef[] {
  return located(text, pattern)
    .filter(({ specifier }) => specifier !== '')
    .map(({ specifier, line }) => ({ specifier, kind, line }))
}
