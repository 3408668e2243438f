import {
  type CharClass,
  type Step,
  anyChar,
  compileSteps,
  literal,
  many,
  one,
  optional,
} from './linear-matcher.ts'
import { foldCase } from './fold-case.ts'

export type Matches = (text: string) => boolean

export const notSlash: CharClass = (char) => char !== '/'
/** Any number of whole folders, including none; written as two stars and a slash. */
export const anyFolders: Step = optional(many(anyChar), literal('/'))

/** The wildcards of a kind of glob and their meaning; the first that fits is taken. */
type Signs = readonly (readonly [sign: string, step: Step])[]

const STAR: Signs = [['*', many(anyChar)]]
const STAR_AND_QUESTION: Signs = [...STAR, ['?', one(anyChar)]]
const PATH_SIGNS: Signs = [
  ['**/', anyFolders],
  ['**', many(anyChar)],
  ['*', many(notSlash)],
  ['?', one(notSlash)],
]

/** Compiles a glob over names: `*`, `?`, `[seq]`, `[!seq]`; case counts. */
export function compilePattern(pattern: string): Matches {
  if (!isGlob(pattern)) return (name) => name === pattern
  return compileSteps(toSteps(pattern, STAR_AND_QUESTION, true))
}

/** Compiles a glob over names of people and groups: as `compilePattern`, but case is ignored. */
export function compileFolded(pattern: string): Matches {
  const matches = compilePattern(foldCase(pattern))
  return (name) => matches(foldCase(name))
}

export function isGlob(pattern: string): boolean {
  return /[*?[]/.test(pattern)
}

export interface WildcardOptions {
  /** The wildcards; all other characters stand for themselves. */
  readonly signs: '*' | '*?'
  readonly ignoreCase?: boolean
}

/** Compiles a text with wildcards, which match every character, `/` too. */
export function compileWildcards(pattern: string, options: WildcardOptions): Matches {
  const signs = options.signs === '*' ? STAR : STAR_AND_QUESTION
  if (options.ignoreCase !== true) return compileSteps(toSteps(pattern, signs))
  const matches = compileSteps(toSteps(pattern.toLowerCase(), signs))
  return (text) => matches(text.toLowerCase())
}

/**
 * Compiles a glob over paths: `*` and `?` match within a folder, `**` across folders. A pattern
 * without a slash matches the last part of a path in every folder.
 */
export function compilePathGlob(pattern: string): Matches {
  const steps = toSteps(pattern, PATH_SIGNS)
  return compileSteps(pattern.includes('/') ? steps : [anyFolders, ...steps])
}

/** The patterns of one rule, in its order. */
export interface PatternList {
  /** The index of the pattern that equals the name, or -1. */
  exact(name: string): number
  /** The index of the first wildcard pattern that matches, or -1. */
  wildcard(name: string): number
}

export function compilePatterns(patterns: readonly string[]): PatternList {
  const tests = patterns.map((pattern) => (isGlob(pattern) ? compilePattern(pattern) : undefined))
  return {
    exact: (name) => patterns.indexOf(name),
    wildcard: (name) => tests.findIndex((test) => test?.(name)),
  }
}

function toSteps(pattern: string, signs: Signs, sets = false): Step[] {
  const steps: Step[] = []
  const lastClose = sets ? pattern.lastIndexOf(']') : -1
  let textFrom = 0
  const push = (at: number, step: Step, length: number): number => {
    if (at > textFrom) steps.push(literal(pattern.slice(textFrom, at)))
    // Two equal stars in a row mean the same as one, and would cost a step each.
    if (step.type === 'one' || steps.at(-1) !== step) steps.push(step)
    return (textFrom = at + length)
  }
  for (let at = 0; at < pattern.length;) {
    const [sign, step] = signs.find(([text]) => pattern.startsWith(text, at)) ?? []
    const set = pattern[at] === '[' && at < lastClose ? setAt(pattern, at) : undefined
    if (sign !== undefined && step) at = push(at, step, sign.length)
    else if (set !== undefined) at = push(at, one(toClass(Array.from(set))), set.length + 2)
    else at++
  }
  if (textFrom < pattern.length) steps.push(literal(pattern.slice(textFrom)))
  return steps
}

/**
 * Returns the text between the brackets of a set, or undefined for a `[` that is not closed, which
 * stands for itself. A `]` right after the opening, or after `!`, belongs to the set.
 */
function setAt(pattern: string, at: number): string | undefined {
  const close = pattern.indexOf(']', at + (pattern[at + 1] === '!' ? 3 : 2))
  return close === -1 ? undefined : pattern.slice(at + 1, close)
}

function toClass(body: readonly string[]): CharClass {
  const negated = body[0] === '!'
  const members = negated ? body.slice(1) : body
  const ranges: (readonly [from: string, to: string])[] = []
  for (let i = 0; i < members.length; i++) {
    const from = members[i] ?? ''
    const to = members[i + 1] === '-' ? members[i + 2] : undefined
    ranges.push([from, to ?? from])
    if (to !== undefined) i += 2
  }
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== negated
}
