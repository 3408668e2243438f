import {
  type Assertion,
  type Step,
  anyChar,
  assertion,
  compileSteps,
  either,
  literal,
  many,
  one,
  optional,
  repeated,
} from '../../base/text/linear-matcher.ts'
import { spend } from './work.ts'

export interface Pattern {
  test(text: string): boolean
  /** Identifies the pattern. */
  toString(): string
}

/** A part of a pattern, and how many states it takes. */
interface Part {
  readonly states: number
  readonly steps: readonly Step[]
}

/** The most states of a pattern, since repetitions such as `{1,500}` are unfolded. */
const MAX_STATES = 2_000

/**
 * Compiles a regular expression that takes time proportional to the text, whatever the pattern is:
 * it follows all ways to match at once where `RegExp` would try one after the other. Undefined for
 * a pattern that is not regular (lookaround, backreferences), not valid, or too large.
 */
export function linearPattern(source: string): Pattern | undefined {
  try {
    // RegExp refuses malformed patterns, so the parser gets only valid ones.
    const own = new RegExp(source, 'u')
    if (hasOneWay(source)) return { test: (text) => metered(own, text), toString: () => source }
    const { steps } = new Parser(own.source).parse()
    // An expression may match anywhere in a text.
    const test = compileSteps([many(anyChar), ...steps, many(anyChar)], spend)
    return { test, toString: () => source }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const ONE_WAY =
  /^(\^?)((?:[^\\()[\]{}|*+?^$.]|\\[dDwWsS]|\\[^\sa-zA-Z\d]|\[(?:\\[^]|[^\]\\])*\]|\.)[*+]?)*\$?$/u

/**
 * Whether `RegExp` takes linear time too, in a tenth of ours: there is one thing at most whose length
 * it may have to try, and that is where the match starts or one repeated character.
 */
function hasOneWay(source: string): boolean {
  const [, start] = source.length < 500 ? (ONE_WAY.exec(source) ?? []) : []
  if (start === undefined) return false
  const repetitions =
    source.replaceAll(/\[(?:\\[^]|[^\]\\])*\]|\\[^]/gu, 'x').match(/[*+]/g)?.length ?? 0
  return repetitions + (start === '' ? 1 : 0) <= 1
}

function metered(pattern: RegExp, text: string): boolean {
  spend(text.length >> 3)
  return pattern.test(text)
}

const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y
const GROUP = /\((?:\?:|\?<(?![=!])[^>]+>|(?!\?))/y
const CLASS = /\[(?:\\[^]|[^\]\\])*\]/uy
const ESCAPE = /\\(?:[pPu]\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[^1-9kbB])/uy
const ASSERTION = /[$^]|\\[bB]/y
const LITERAL = /[^\\()[\]{}|*+?^$.]/uy

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  '^': (before) => before === undefined,
  $: (_, after) => after === undefined,
  '\\b': (before, after) => isWord(before) !== isWord(after),
  '\\B': (before, after) => isWord(before) === isWord(after),
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char)
}

/** Parses a pattern that `RegExp` accepts; throws a SyntaxError if it is not regular. */
class Parser {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  parse(): Part {
    const whole = this.#alternatives()
    if (this.#at < this.#source.length) throw new SyntaxError('Not a regular expression')
    return whole
  }

  #alternatives(): Part {
    const parts = [this.#sequence()]
    while (this.#take(/\|/y)) parts.push(this.#sequence())
    const [only] = parts
    if (parts.length === 1 && only) return only
    return {
      states: limited(parts.reduce((sum, { states }) => sum + states, 1)),
      steps: [either(...parts.map(({ steps }) => steps))],
    }
  }

  #sequence(): Part {
    const parts: Part[] = []
    for (let part = this.#repeated(); part; part = this.#repeated()) parts.push(part)
    return {
      states: limited(parts.reduce((sum, { states }) => sum + states, 0)),
      steps: parts.flatMap(({ steps }) => steps),
    }
  }

  #repeated(): Part | undefined {
    const holds = ASSERTIONS[this.#take(ASSERTION)?.[0] ?? '']
    if (holds) return single(assertion(holds))
    const part = this.#group() ?? this.#character()
    const quantifier = part && this.#take(QUANTIFIER)
    if (!quantifier) return part
    const { least, most } = timesOf(quantifier)
    return repeat(part, least, most)
  }

  #group(): Part | undefined {
    if (!this.#take(GROUP)) return undefined
    const inner = this.#alternatives()
    if (!this.#take(/\)/y)) throw new SyntaxError('Not a regular expression')
    return inner
  }

  #character(): Part | undefined {
    const char = this.#take(LITERAL)?.[0]
    if (char) return single(literal(char))
    const atom = (this.#take(CLASS) ?? this.#take(ESCAPE) ?? this.#take(/\./y))?.[0]
    if (!atom) return undefined
    const isMember = new RegExp(`^${atom}$`, 'u')
    return single(one((given) => isMember.test(given)))
  }

  #take(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = this.#at
    const found = token.exec(this.#source)
    if (found) this.#at = token.lastIndex
    return found ?? undefined
  }
}

function single(step: Step): Part {
  return { states: 1, steps: [step] }
}

function timesOf([, sign, least, comma, most]: RegExpExecArray): { least: number; most: number } {
  if (sign === '?') return { least: 0, most: 1 }
  if (sign) return { least: sign === '+' ? 1 : 0, most: Infinity }
  return { least: Number(least), most: comma ? Number(most || Infinity) : Number(least) }
}

function repeat({ states, steps }: Part, least: number, most: number): Part {
  const copies = most === Infinity ? least + 1 : most
  const size = limited(copies * (states + 1))
  const required = Array.from({ length: least }, () => steps).flat()
  const rest = most === Infinity ? [repeated(...steps)] : upTo(most - least, steps)
  return { states: size, steps: [...required, ...rest] }
}

function upTo(times: number, steps: readonly Step[]): readonly Step[] {
  let rest: readonly Step[] = []
  for (let n = 0; n < times; n += 1) rest = [optional(...steps, ...rest)]
  return rest
}

function limited(states: number): number {
  if (states > MAX_STATES) throw new SyntaxError('Too large')
  return states
}
