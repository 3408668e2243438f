import { expect, it } from 'vitest'
import { z } from 'zod'
import { EnvironmentError, parseEnvironment } from './environment.ts'

const schema = z.object({ LIMIT: z.coerce.number().int().default(3), NAME: z.string().optional() })

it('reads names behind the prefix, and never the bare ones', () => {
  expect(
    parseEnvironment(schema, 'OURS_', { LIMIT: 'x', NAME: 'theirs', OURS_LIMIT: '7' }),
  ).toEqual({
    LIMIT: 7,
  })
})

it('takes an empty variable for one that is not set', () => {
  expect(parseEnvironment(schema, 'OURS_', { OURS_LIMIT: '', OURS_NAME: '' })).toEqual({ LIMIT: 3 })
})

it('names the variable that is wrong', () => {
  expect(() => parseEnvironment(schema, 'OURS_', { OURS_LIMIT: 'soon' })).toThrow(EnvironmentError)
  expect(() => parseEnvironment(schema, 'OURS_', { OURS_LIMIT: 'soon' })).toThrow(/OURS_LIMIT: /)
})
