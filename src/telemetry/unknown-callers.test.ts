import { expect, it } from 'vitest'
import { anEvent } from '../../test/support/a-call.ts'
import { UnknownCallers } from './unknown-callers.ts'

function someCallers() {
  let nowMs = 1_000
  const callers = new UnknownCallers(() => nowMs)
  const refused = () => callers.bound(anEvent({ decision: 'DENY' }))
  return { refused, callers, pass: (ms: number) => (nowMs += ms) }
}

it('records a hundred refused attempts of nobody known at once, then one a second, and counts the others', () => {
  const { refused, pass } = someCallers()
  for (let n = 0; n < 100; n++) expect(refused()).not.toHaveProperty('leftOut')
  expect(refused()).toBeUndefined()
  pass(999)
  expect(refused()).toBeUndefined()
  pass(1)
  expect(refused()).toMatchObject({ decision: 'DENY', leftOut: 2 })
  pass(1_000)
  expect(refused(), 'what was counted is counted once').not.toHaveProperty('leftOut')
})

it('leaves out nothing of agents that are known, and nothing that was allowed', () => {
  const { refused, callers } = someCallers()
  for (let n = 0; n < 200; n++) refused()
  expect(refused()).toBeUndefined()
  const known = anEvent({ decision: 'DENY', agent: 'ada' })
  expect(callers.bound(known)).toBe(known)
  const allowed = anEvent({ decision: 'ALLOW' })
  expect(callers.bound(allowed)).toBe(allowed)
})
