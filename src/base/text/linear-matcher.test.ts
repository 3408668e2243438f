import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
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
} from './linear-matcher.ts'
import { runs } from '../../../test/support/mutating.ts'

const isA = (char: string) => char === 'a'
const notB = (char: string) => char !== 'b'

/** Every way to read the text, tried one after the other: right, and slow. */
function reference(steps: readonly Step[], text: string): boolean {
  return endsOf(steps, text, 0).includes(text.length)
}

function endsOf(steps: readonly Step[], text: string, from: number): number[] {
  const [step, ...rest] = steps
  if (!step) return [from]
  const ends = new Set(endsOfStep(step, text, from))
  return [...ends].flatMap((end) => endsOf(rest, text, end))
}

function endsOfStep(step: Step, text: string, from: number): number[] {
  const char = text[from]
  switch (step.type) {
    case 'text':
      return text.startsWith(step.text, from) ? [from + step.text.length] : []
    case 'assertion':
      return step.holds(text[from - 1], char) ? [from] : []
    case 'optional':
      return [from, ...endsOf(step.steps, text, from)]
    case 'either':
      return step.branches.flatMap((branch) => endsOf(branch, text, from))
    case 'one':
      return char !== undefined && step.accepts(char) ? [from + 1] : []
    case 'many':
      return endsOfStep(repeated(one(step.accepts)), text, from)
    case 'repeated': {
      const once = endsOf(step.steps, text, from).filter((end) => end > from)
      return [from, ...once.flatMap((end) => endsOfStep(step, text, end))]
    }
  }
}

const simple: fc.Arbitrary<Step> = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 2 }).map(literal),
  fc.constantFrom(one(anyChar), one(isA), many(anyChar), many(isA), many(notB)),
)
const assertions: fc.Arbitrary<Step> = fc.constantFrom(
  assertion((before) => before === undefined),
  assertion((before, after) => before !== after),
)
const group = fc.array(fc.oneof(simple, assertions), { maxLength: 3 })
const anyStep = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 1, arbitrary: assertions },
  { weight: 1, arbitrary: group.map((steps) => optional(...steps)) },
  { weight: 1, arbitrary: group.map((steps) => repeated(...steps)) },
  { weight: 1, arbitrary: fc.tuple(group, group).map((branches) => either(...branches)) },
)

it('agrees with trying every way to match', () => {
  const pattern = fc.array(anyStep, { maxLength: 6 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 })
  fc.assert(
    fc.property(pattern, text, (steps, name) => {
      expect(compileSteps(steps)(name)).toBe(reference(steps, name))
    }),
    { numRuns: runs(2000) },
  )
})

it('asks every step about every character once at most, whatever the pattern', () => {
  const hostile = fc.array(fc.constantFrom('*', '?', 'a', '**/'), { minLength: 10, maxLength: 60 })
  fc.assert(
    fc.property(hostile, fc.integer({ min: 10, max: 300 }), (signs, length) => {
      let asked = 0
      const count = (char: string) => (asked++, char === 'a' || char === '/')
      const step = (sign: string) =>
        sign === '*' ? many(count) : sign === '**/' ? optional(many(count)) : one(count)
      const steps = [...signs.map(step), one((char) => char === 'b')]
      expect(compileSteps(steps)('a'.repeat(length))).toBe(false)
      expect(asked).toBeLessThanOrEqual(steps.length * length)
    }),
  )
})

it('tells what it spends, and stops when it may not', () => {
  let spent = 0
  const matches = compileSteps([repeated(either([many(anyChar)], [literal('a')]))], (states) => {
    spent += states
    if (spent > 10_000) throw new Error('too much')
  })
  expect(matches('a'.repeat(100))).toBe(true)
  expect(spent).toBeLessThanOrEqual(100 * 10)
  expect(() => matches('a'.repeat(10_000))).toThrow('too much')
  spent = 0
  expect(matches('abc')).toBe(true)
})

it('reads whole characters, also those that take two units', () => {
  expect(compileSteps([one(anyChar)])('🙂')).toBe(true)
  expect(compileSteps([literal('🙂'), many(anyChar)])('🙂 hello')).toBe(true)
  expect(compileSteps([one(anyChar), one(anyChar)])('🙂')).toBe(false)
})
