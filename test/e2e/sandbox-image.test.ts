import { expect, it } from 'vitest'
import { loadBoundedWasm } from '../../src/sandbox/bounded-wasm.ts'
import { readWarmImage } from '../../src/sandbox/warm-image-file.ts'

it('starts from an image that comes with the package', async () => {
  const { id } = await loadBoundedWasm(32 * 1024 * 1024)
  expect(readWarmImage(id)).toBeDefined()
})
