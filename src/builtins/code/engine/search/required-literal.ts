/** Quantifiers that make the preceding character optional. */
const OPTIONAL = /^(?:[*?]|\{0?,|\{0\})/
const REPEATED = /^[+{]/

/**
 * Returns the longest text that every match of a pattern contains, so that files without it need
 * not be searched: `func New\w+Controller\(` → `Controller(`. Undefined if none is certain; it
 * never guesses.
 */
export function requiredLiteral(pattern: string): string | undefined {
  let longest = ''
  let run = ''
  const end = (): void => {
    if (run.length > longest.length) longest = run
    run = ''
  }
  for (let at = 0; at < pattern.length;) {
    const { length, literal } = pieceAt(pattern, at)
    if (length === 0) return undefined // An alternative: neither side is certain.
    const rest = pattern.slice(at + length)
    if (literal === undefined) end()
    else if (OPTIONAL.test(rest)) end()
    else {
      run += literal
      if (REPEATED.test(rest)) end()
    }
    at += length
  }
  end()
  return longest.length > 1 ? longest : undefined
}

interface Piece {
  readonly length: number
  /** The literal character; undefined for a class, a group, an anchor or a quantifier. */
  readonly literal?: string
}

function pieceAt(pattern: string, at: number): Piece {
  const character = pattern[at] ?? ''
  if (character === '|') return { length: 0 }
  if (character === '\\') return escapeAt(pattern, at)
  if (character === '[') return { length: classLength(pattern, at) }
  if (character === '(') return { length: groupLength(pattern, at) }
  if (character === '{')
    return { length: (/^\{[\d,]*\}/.exec(pattern.slice(at)) ?? ['{'])[0].length }
  if ('.^$*+?)'.includes(character)) return { length: 1 }
  return { length: 1, literal: character }
}

/** Only escaped punctuation stands for itself; an escaped letter or digit has another meaning. */
function escapeAt(pattern: string, at: number): Piece {
  const next = pattern[at + 1] ?? ''
  if (/[^\w\s]/.test(next)) return { length: 2, literal: next }
  const [long] = /^\\(?:[pPkuxc](?:\{[^}]*\}|<[^>]*>|[\dA-Fa-f]{0,4})|\d+|.)?/.exec(
    pattern.slice(at),
  ) ?? ['\\']
  return { length: Math.max(1, long.length) }
}

function classLength(pattern: string, at: number): number {
  for (let end = at + 1; end < pattern.length; end++) {
    if (pattern[end] === '\\') end++
    else if (pattern[end] === ']') return end + 1 - at
  }
  return pattern.length - at
}

/** Skips a group as a whole: its content may be optional or an alternative. */
function groupLength(pattern: string, at: number): number {
  let depth = 0
  for (let end = at; end < pattern.length; end++) {
    const character = pattern[end]
    if (character === '\\') end++
    else if (character === '[') end += classLength(pattern, end) - 1
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return end + 1 - at
  }
  return pattern.length - at
}
