import { Ajv } from 'ajv'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ExactNumber, isMultipleOf } from '../../base/json/exact-json.ts'
import { checkArguments } from './check-arguments.ts'

async function accepts(value: number, multipleOf: number): Promise<boolean> {
  const schema = { type: 'object', properties: { value: { type: 'number', multipleOf } } }
  const { errors } = await checkArguments(schema, { value })
  return errors.length === 0
}

/** What pydantic does: a remainder of a billionth of the value is an error of rounding. */
function pydanticAccepts(value: number, factor: number): boolean {
  const rest = Math.abs(value % factor)
  const threshold = Math.abs(value) / 1e9
  return rest <= threshold || Math.abs(rest - factor) <= threshold
}

const withPrecision = new Ajv({ multipleOfPrecision: 6 })

function others(value: number, factor: number): boolean[] {
  return [
    z.number().multipleOf(factor).safeParse(value).success,
    withPrecision.compile({ multipleOf: factor })(value),
    pydanticAccepts(value, factor),
  ]
}

it('accepts every amount of cents, as the libraries do that servers are written with', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: -1_000_000, max: 1_000_000 }), async (cents) => {
      const value = Number(`${cents}e-2`)
      expect(others(value, 0.01)).toEqual([true, true, true])
      expect(await accepts(value, 0.01)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

it('refuses what they refuse: amounts with parts of a cent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: -100_000, max: 100_000 }),
      fc.integer({ min: 1, max: 9 }),
      async (cents, part) => {
        const value = Number(`${cents}${part}e-3`)
        expect(others(value, 0.01)).toEqual([false, false, false])
        expect(await accepts(value, 0.01)).toBe(false)
      },
    ),
    { numRuns: 500 },
  )
})

it('accepts a sum with an error of rounding, as pydantic does, but no integer beside a multiple', async () => {
  expect(await accepts(0.1 + 0.2, 0.1)).toBe(true)
  expect(await accepts(9007199254740992, 3)).toBe(false)
})

it.each<[string, string, boolean]>([
  ['19.99', '0.01', true],
  ['0.3', '0.1', true],
  ['1e21', '7', false],
  ['7e21', '7', true],
  ['1e-7', '1e-8', true],
  ['1e-8', '1e-7', false],
  ['0', '5', true],
  ['-15', '5', true],
  ['5', '0', true],
  ['9007199254740993', '3', true],
  ['9007199254740992', '3', false],
  ['9007199254740993', '2', false],
  ['1234567890123456789012.34', '0.01', true],
  ['1234567890123456789012.345', '0.01', false],
  ['1e999999999', '3', true],
])('whether %s is a multiple of %s is decided by their digits: %s', (value, factor, expected) => {
  expect(isMultipleOf(new ExactNumber(value), new ExactNumber(factor))).toBe(expected)
})
