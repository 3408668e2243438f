import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  DIMENSION,
  type EmbeddingServer,
  startEmbeddingServer,
} from '../../../test/support/embedding-server.ts'
import { createEmbedder } from './create-embedder.ts'

let server: EmbeddingServer
let home = ''
beforeEach(async () => {
  server = await startEmbeddingServer()
  home = await mkdtemp(join(tmpdir(), 'embedder-'))
})
afterEach(async () => {
  await server.close()
  await rm(home, { recursive: true })
})

describe('createEmbedder', () => {
  it('makes none unless it is told to', () => {
    expect(createEmbedder({ provider: 'none' }, home)).toBeUndefined()
  })

  it('reaches Ollama by its bare address, and marks texts as its default model wants', async () => {
    const bare = server.baseUrl.replace('/v1', '')
    const embedder = createEmbedder({ provider: 'ollama', baseUrl: bare }, home)
    expect(await embedder?.dimension()).toBe(DIMENSION)
    await embedder?.embed(['x'], 'document')
    expect(server.requests.at(-1)?.input).toEqual(['search_document: x'])
    await embedder?.close()
  })

  it('says which file a model folder lacks', async () => {
    const embedder = createEmbedder({ provider: 'onnx', folder: home }, home)
    await expect(embedder?.embed(['x'], 'query')).rejects.toMatchObject({
      message: expect.stringContaining('config.json'),
    })
  })
})
