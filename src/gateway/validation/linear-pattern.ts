import { spend } from './work.ts'

export interface Pattern {
  test(text: string): boolean
  /** What tells it from other patterns. */
  toString(): string
}

type State =
  | { readonly kind: 'match' }
  | { readonly kind: 'split'; readonly to: State[] }
  | { readonly kind: 'assert'; readonly holds: Assertion; readonly next: State }
  | { readonly kind: 'character'; readonly matches: Matcher; readonly next: State }

type Assertion = (before: string | undefined, after: string | undefined) => boolean
type Matcher = (character: string) => boolean

/** A part of a pattern: makes its states from the state that follows it. */
interface Part {
  readonly states: number
  readonly from: (next: State) => State
}

/** What a counted repetition such as `{1,500}` may unfold to. */
const MOST_STATES = 2_000

/**
 * A regular expression that takes time proportional to the text, whatever the pattern is: all ways to
 * match are followed at once (Thompson's construction) where `RegExp` would try one after the other.
 * Undefined for what is not regular (lookaround, backreferences), not valid, or too large.
 */
export function linearPattern(source: string): Pattern | undefined {
  try {
    // RegExp leaves only well-formed patterns to the parser.
    const pattern = new Parser(new RegExp(source, 'u').source).parse()
    let start: State | undefined
    return {
      test: (text) => run((start ??= pattern.from({ kind: 'match' })), text),
      toString: () => source,
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function run(start: State, text: string): boolean {
  const characters = Array.from(text)
  let reached: State[] = [start]
  for (let at = 0; at <= characters.length; at += 1) {
    const after = characters[at]
    const seen = new Set<State>()
    const following: State[] = [start]
    for (let state = reached.pop(); state; state = reached.pop()) {
      if (seen.has(state)) continue
      seen.add(state)
      if (state.kind === 'match') return true
      if (state.kind === 'split') reached.push(...state.to)
      else if (state.kind === 'assert') {
        if (state.holds(characters[at - 1], after)) reached.push(state.next)
      } else if (after !== undefined && state.matches(after)) following.push(state.next)
    }
    spend(seen.size)
    reached = following
  }
  return false
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

function isWord(one: string | undefined): boolean {
  return one !== undefined && /^\w$/.test(one)
}

/** Reads a pattern that `RegExp` accepts; throws a SyntaxError at what is not regular. */
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
      from: (next) => ({ kind: 'split', to: parts.map(({ from }) => from(next)) }),
    }
  }

  #sequence(): Part {
    const parts: Part[] = []
    for (let part = this.#repeated(); part; part = this.#repeated()) parts.push(part)
    return {
      states: limited(parts.reduce((sum, { states }) => sum + states, 0)),
      from: (next) => parts.reduceRight((following, { from }) => from(following), next),
    }
  }

  #repeated(): Part | undefined {
    const assertion = ASSERTIONS[this.#take(ASSERTION)?.[0] ?? '']
    if (assertion)
      return { states: 1, from: (next) => ({ kind: 'assert', holds: assertion, next }) }
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
    const literal = this.#take(LITERAL)?.[0]
    if (literal) return character((given) => given === literal)
    const atom = (this.#take(CLASS) ?? this.#take(ESCAPE) ?? this.#take(/\./y))?.[0]
    if (!atom) return undefined
    const one = new RegExp(`^${atom}$`, 'u')
    return character((given) => one.test(given))
  }

  #take(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = this.#at
    const found = token.exec(this.#source)
    if (found) this.#at = token.lastIndex
    return found ?? undefined
  }
}

function character(matches: Matcher): Part {
  return { states: 1, from: (next) => ({ kind: 'character', matches, next }) }
}

function timesOf([, sign, least, comma, most]: RegExpExecArray): { least: number; most: number } {
  if (sign === '?') return { least: 0, most: 1 }
  if (sign) return { least: sign === '+' ? 1 : 0, most: Infinity }
  return { least: Number(least), most: comma ? Number(most || Infinity) : Number(least) }
}

function repeat(part: Part, least: number, most: number): Part {
  const copies = most === Infinity ? least + 1 : most
  return {
    states: limited(copies * (part.states + 1)),
    from(next) {
      let state = most === Infinity ? loop(part, next) : optional(part, most - least, next)
      for (let n = 0; n < least; n += 1) state = part.from(state)
      return state
    },
  }
}

function loop(part: Part, next: State): State {
  const to = [next]
  const again: State = { kind: 'split', to }
  to.push(part.from(again))
  return again
}

function optional(part: Part, times: number, next: State): State {
  let state = next
  for (let n = 0; n < times; n += 1) state = { kind: 'split', to: [part.from(state), next] }
  return state
}

function limited(states: number): number {
  if (states > MOST_STATES) throw new SyntaxError('Too large')
  return states
}
