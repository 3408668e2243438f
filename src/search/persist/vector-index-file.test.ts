import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type EmbeddingServer,
  startEmbeddingServer,
} from '../../../test/support/embedding-server.ts'
import { createHttpEmbedder } from '../embed/http-embedder.ts'
import { VectorIndex } from '../vector/vector-index.ts'
import { loadVectorIndex, saveVectorIndex } from './vector-index-file.ts'

let server: EmbeddingServer
let folder = ''
beforeEach(async () => {
  server = await startEmbeddingServer()
  folder = await mkdtemp(join(tmpdir(), 'vector-file-'))
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

describe('saved vectors', () => {
  it('find by meaning what was found before, and refuse another model', async () => {
    const embedder = createHttpEmbedder({ baseUrl: server.baseUrl, model: 'words' })
    const texts = ['the cat sat on the mat', 'retry with back-off', 'open a database connection']
    const index = new VectorIndex({ dimension: await embedder.dimension() })
    for (const [n, vector] of (await embedder.embed(texts, 'document')).entries())
      index.set(`t${n}`, vector)
    const path = join(folder, 'x.vectors')
    await saveVectorIndex(path, index, { model: embedder.identity, about: { revision: 1 } })

    const loaded = await loadVectorIndex(path, embedder)
    const [query = new Float32Array(0)] = await embedder.embed(['database connection'], 'query')
    expect(loaded.about).toEqual({ revision: 1 })
    expect(loaded.index.search(query, { limit: 1 })[0]?.id).toBe('t2')
    expect(loaded.index.search(query, { limit: 3 })).toEqual(index.search(query, { limit: 3 }))

    const other = createHttpEmbedder({ baseUrl: server.baseUrl, model: 'other' })
    await expect(loadVectorIndex(path, other)).rejects.toMatchObject({
      reason: 'mismatch',
      message: expect.stringContaining('index again'),
    })
  })
})
