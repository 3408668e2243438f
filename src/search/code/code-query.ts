import { wordsOf } from '../analyse/analyser.ts'
import { stem } from '../analyse/stem.ts'
import { STOP_WORDS } from '../analyse/stop-words.ts'
import { isAscii, wordParts } from '../analyse/word-parts.ts'
import type { QueryTerm } from '../lexical/field.ts'
import type { FileRole } from './file-role.ts'
import { synonyms } from './synonyms.ts'

export interface CodeQuery {
  readonly text: string
  /** A bare name is a symbol; anything with several words is a text. */
  readonly kind: 'symbol' | 'text'
  /** Names to look up as definitions, as written: the symbol, or identifiers in a sentence. */
  readonly names: readonly string[]
  /** Names that the words of a sentence may spell out: "circuit breaker" → circuitbreaker. */
  readonly spelt: readonly string[]
  /** The stems of the words that carry meaning, each once. */
  readonly stems: readonly string[]
  /** The terms to look up: the stems first, in their order, then compounds and synonyms. */
  readonly terms: readonly QueryTerm[]
  /** Kinds of files that usually get in the way but that this query asks for. */
  readonly wants: ReadonlySet<FileRole>
}

/** Words that ask for a kind of file; "test whether it is empty" and "decode JSON" do not. */
const ASKS_FOR: readonly (readonly [FileRole, RegExp])[] = [
  [
    'test',
    /\b(tests|specs|tested|test (case|suite|file|helper|fixture)s?|fixtures|mock(s|ed|ing)?)\b/i,
  ],
  ['prose', /\b(docs|documentation|readme|changelog|release notes)\b/i],
  ['example', /\b(examples|samples|demos?|benchmarks)\b|\b(an|one|any) (example|sample)\b/i],
  [
    'data',
    /\b(makefile|dockerfile|migrations|stylesheets?|(ci|github|release) workflows?|(ya?ml|json|toml|css|html|build) (file|script)s?)\b/i,
  ],
]

const SYMBOL = /^[\p{L}_$@][\p{L}\p{N}_$.:#\\>?!-]*$/u
const CAMEL_OR_SNAKE = /[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|[A-Za-z0-9]_[A-Za-z0-9]/
/** Words that people put around a name: "the StatusPool type", "where is X defined". */
const AROUND_A_NAME = new Set(
  `the a an of for where is are class type struct interface enum trait function func method constant
  const variable field property macro module definition definitions declaration implementation defined
  declared implemented`.split(/\s+/),
)
const SYNONYM_WEIGHT = 0.4
const COMPOUND_WEIGHT = 0.6
const MAX_SPELT_LENGTH = 3

export function parseCodeQuery(text: string): CodeQuery {
  const trimmed = bareName(text.trim())
  const words = wordsOf(trimmed)
  const kind = SYMBOL.test(trimmed) ? 'symbol' : 'text'
  const named =
    kind === 'symbol' ? words.slice(-1) : words.filter((word) => CAMEL_OR_SNAKE.test(word))
  const parts = words.flatMap((word) => wordParts(word, { identifiers: true }).parts)
  const meaningful = words.flatMap(meaningfulParts)
  // If a query consists of stop words only, they are what it means.
  const stems = [...new Set((meaningful.length > 0 ? meaningful : parts).map(stem))]
  return {
    text: trimmed,
    kind,
    names: [...new Set(named)],
    spelt: kind === 'symbol' ? [] : spelt(parts),
    stems,
    terms: queryTerms(stems, parts),
    wants: new Set(ASKS_FOR.filter(([, pattern]) => pattern.test(trimmed)).map(([role]) => role)),
  }
}

/** Returns the name if a query is one identifier with such words around it; else the query. */
function bareName(query: string): string {
  const words = query
    .replace(/[?`'"]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !AROUND_A_NAME.has(word.toLowerCase()))
  const [name = ''] = words
  return words.length === 1 && SYMBOL.test(name) && CAMEL_OR_SNAKE.test(name) ? name : query
}

/** The stop words are English: `à` is not one of them, although it is indexed as `a`. */
function meaningfulParts(word: string): readonly string[] {
  const { parts } = wordParts(word, { identifiers: true })
  return isAscii(word) ? parts.filter((part) => !STOP_WORDS.has(part)) : parts
}

/** Returns runs of two or three words, joined as in identifiers. */
function spelt(words: readonly string[]): string[] {
  const found = new Set<string>()
  for (let from = 0; from < words.length; from++)
    for (let count = 2; count <= MAX_SPELT_LENGTH && from + count <= words.length; count++) {
      const run = words.slice(from, from + count)
      if (run.some((word) => STOP_WORDS.has(word))) break
      found.add(run.join('')).add(run.join('_'))
    }
  return [...found]
}

function queryTerms(stems: readonly string[], words: readonly string[]): QueryTerm[] {
  const terms = new Map(stems.map((term): [string, QueryTerm] => [term, { term, weight: 1 }]))
  const suggest = (term: string, weight: number) => {
    if (!terms.has(term)) terms.set(term, { term, weight, extra: true })
  }
  for (const [at, word] of words.entries())
    if (at > 0) suggest(stem(`${words[at - 1]}${word}`), COMPOUND_WEIGHT)
  for (const term of stems) for (const other of synonyms(term)) suggest(other, SYNONYM_WEIGHT)
  return [...terms.values()]
}
