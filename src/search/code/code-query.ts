import { splitIdentifier } from '../analyse/split-identifier.ts'
import { stem } from '../analyse/stem.ts'
import { STOP_WORDS } from '../analyse/stop-words.ts'

export interface CodeQuery {
  /** A bare name is a symbol; anything with several words is a text. */
  readonly kind: 'symbol' | 'text'
  readonly text: string
  /** Names to look up as definitions, lower case: the symbol itself, or identifiers within a sentence. */
  readonly names: readonly string[]
  /** The stems of the words that carry meaning, each once. */
  readonly stems: readonly string[]
}

const SYMBOL = /^[\p{L}_$@][\p{L}\p{N}_$.:#\\>?!-]*$/u
const WORD = /[\p{L}\p{N}_$]+/gu
const CAMEL_OR_SNAKE = /[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|[A-Za-z0-9]_[A-Za-z0-9]/

export function parseCodeQuery(text: string): CodeQuery {
  const trimmed = text.trim()
  const words = trimmed.match(WORD) ?? []
  const kind = SYMBOL.test(trimmed) ? 'symbol' : 'text'
  const named =
    kind === 'symbol' ? words.slice(-1) : words.filter((word) => CAMEL_OR_SNAKE.test(word))
  return {
    kind,
    text: trimmed,
    names: [...new Set(named.map((word) => word.toLowerCase()))],
    stems: [...new Set(words.flatMap(meaningful))],
  }
}

function meaningful(word: string): string[] {
  return splitIdentifier(word)
    .filter((part) => !STOP_WORDS.has(part))
    .map(stem)
}
