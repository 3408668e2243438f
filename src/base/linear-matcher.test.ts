import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Step, anyChar, compileSteps, literal, many, one, optional } from './linear-matcher.ts'

const isA = (char: string) => char === 'a'
const notB = (char: string) => char !== 'b'

/** Every way to read the text, tried one after the other: right, and slow. */
function reference(steps: readonly Step[], text: string): boolean {
  const [step, ...rest] = steps
  if (!step) return text === ''
  if (step.type === 'text')
    return text.startsWith(step.text) && reference(rest, text.slice(step.text.length))
  if (step.type === 'optional')
    return reference(rest, text) || reference([...step.steps, ...rest], text)
  if (step.type === 'many' && reference(rest, text)) return true
  const [char = '', next] = [text[0], step.type === 'many' ? steps : rest]
  return char !== '' && step.accepts(char) && reference(next, text.slice(1))
}

const simple: fc.Arbitrary<Step> = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 2 }).map(literal),
  fc.constantFrom(one(anyChar), one(isA), many(anyChar), many(isA), many(notB)),
)
const anyStep = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 1, arbitrary: fc.array(simple, { maxLength: 3 }).map((group) => optional(...group)) },
)

it('agrees with trying every way to match', () => {
  const pattern = fc.array(anyStep, { maxLength: 6 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 })
  fc.assert(
    fc.property(pattern, text, (steps, name) => {
      expect(compileSteps(steps)(name)).toBe(reference(steps, name))
    }),
    { numRuns: 2000 },
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

it('reads whole characters, also those that take two units', () => {
  expect(compileSteps([one(anyChar)])('🙂')).toBe(true)
  expect(compileSteps([literal('🙂'), many(anyChar)])('🙂 hello')).toBe(true)
  expect(compileSteps([one(anyChar), one(anyChar)])('🙂')).toBe(false)
})
