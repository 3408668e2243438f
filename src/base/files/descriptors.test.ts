import { expect, it } from 'vitest'
import { mostConnections } from './descriptors.ts'

it('leaves half of what may be open to everything but clients, and clients at least one', () => {
  expect(mostConnections(1_024)).toBe(512)
  expect(mostConnections(121)).toBe(60)
  expect(mostConnections(1)).toBe(1)
})

it.runIf(process.platform === 'linux')('knows the limit of this process', () => {
  expect(mostConnections()).toBeGreaterThan(1)
  expect(mostConnections()).toBeLessThan(Infinity)
})
