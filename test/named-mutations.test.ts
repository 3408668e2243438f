import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { NAMED_MUTATIONS } from '../scripts/mutants/named-mutations.ts'

it.each(NAMED_MUTATIONS)('$name: is still exactly one place of the code', ({ file, from }) => {
  expect(readFileSync(file, 'utf8').split(from)).toHaveLength(2)
})
