import { expect, it } from 'vitest'
import { loadEngine } from '../../src/sandbox/engine/load-engine.ts'

it('starts from an image that comes with the package', async () => {
  const { warm } = await loadEngine(32 * 1024 * 1024)
  expect(warm).toBeDefined()
})
