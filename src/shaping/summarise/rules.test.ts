import { expect, it } from 'vitest'
import { applyRules } from './rules.ts'

const animal = {
  id: 'A',
  traits: { BWT: { value: 1, accuracy: 60 }, WWT: { value: 2, accuracy: 90 }, NLB: { value: 3 } },
}

it('picks one field of the best entries of a map', () => {
  const top = [{ field: 'traits', by: 'accuracy', count: 2, as: 'best', pick: 'value' }]
  expect(applyRules([animal], { keep: ['id'], top })).toEqual([
    { id: 'A', best: { WWT: 2, BWT: 1 } },
  ])
})
