import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TINY_DIMENSION, writeTinyModel } from '../../../test/support/tiny-onnx-model.ts'
import { createOnnxEmbedder } from './onnx-embedder.ts'

// Half a gigabyte, so not in the lockfile: where somebody has installed it, the real runtime is tested.
const isInstalled = canResolve('@huggingface/transformers')

function canResolve(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

let folder = ''
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'onnx-')), 'tiny')
  writeTinyModel(folder, ['cat', 'dog', 'sat', 'ran'])
})
afterEach(async () => rm(join(folder, '..'), { recursive: true }))

describe('the local model', () => {
  it.skipIf(isInstalled)('says what to install', async () => {
    await expect(createOnnxEmbedder({ folder }).embed(['cat'], 'query')).rejects.toMatchObject({
      reason: 'not-installed',
      message: expect.stringContaining('npm install'),
    })
  })

  it('looks again for a model that was not there', async () => {
    await rm(folder, { recursive: true })
    const embedder = createOnnxEmbedder({ folder })
    await expect(embedder.embed(['cat'], 'query')).rejects.toMatchObject({ reason: 'unreachable' })
    writeTinyModel(folder, ['cat'])
    const reason = await embedder.embed(['cat'], 'query').then(() => 'none', Object)
    expect(reason).not.toMatchObject({ reason: 'unreachable' })
    await embedder.close()
  })

  it.skipIf(!isInstalled)(
    'gives one unit vector per text, near where words are shared',
    async () => {
      const embedder = createOnnxEmbedder({ folder, batchSize: 2 })
      const [cat, alsoCat, dog] = await embedder.embed(
        ['cat sat', 'sat cat', 'dog ran'],
        'document',
      )
      expect(await embedder.dimension()).toBe(TINY_DIMENSION)
      expect(dot(cat, cat)).toBeCloseTo(1)
      expect(dot(cat, alsoCat)).toBeCloseTo(1)
      expect(dot(cat, dog)).toBeLessThan(0.99)
      await embedder.close()
    },
  )
})

function dot(a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}
