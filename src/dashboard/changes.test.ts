import { expect, it } from 'vitest'
import { CHANGES } from '../../bench/attack/page-changes.ts'
import { type RouteParts, dashboardRoutes } from './create-dashboard.ts'

/** The lists of routes read nothing of their sources before a request. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const parts = { sources: {}, observer: {}, serving: {}, costs: {} } as RouteParts

const changing = dashboardRoutes(parts).filter(({ changes }) => changes)

it('has in the attack field every request that changes something', () => {
  const untried = changing.filter(({ path }) => {
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
    return !CHANGES.some((tried) => pattern.test(tried))
  })
  expect(untried.map(({ path }) => path)).toEqual([])
})

it('has no change that somebody may make who has shown nothing', () => {
  expect(changing.filter(({ role }) => role === null)).toEqual([])
  expect(changing.length).toBeGreaterThan(20)
})
