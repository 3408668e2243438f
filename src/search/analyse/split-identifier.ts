const LOWER = 1
const UPPER = 2
const DIGIT = 3

/**
 * Splits an identifier into words in lower case: `parseHTTPBody2` → parse, http, body, 2.
 * Only ASCII boundaries are recognised; any other letter continues its word.
 */
export function splitIdentifier(word: string): string[] {
  const parts: string[] = []
  let start = 0
  let previous = 0
  for (let at = 0; at < word.length; at++) {
    const kind = kindOf(word.charCodeAt(at))
    if (kind === 0) {
      if (at > start) parts.push(word.slice(start, at).toLowerCase())
      start = at + 1
    } else if (at > start && startsPart(word, at, previous, kind)) {
      parts.push(word.slice(start, at).toLowerCase())
      start = at
    }
    previous = kind
  }
  if (start < word.length) parts.push(word.slice(start).toLowerCase())
  return parts
}

function startsPart(word: string, at: number, previous: number, kind: number): boolean {
  if ((previous === DIGIT) !== (kind === DIGIT)) return true
  if (previous === LOWER && kind === UPPER) return true
  // The last capital of an acronym begins the next word: HTTPServer → http, server.
  return previous === UPPER && kind === UPPER && kindOf(word.charCodeAt(at + 1)) === LOWER
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  if (code >= 48 && code <= 57) return DIGIT
  return code >= 128 ? LOWER : 0
}
