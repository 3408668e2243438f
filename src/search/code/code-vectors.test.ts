import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type EmbeddingServer,
  startEmbeddingServer,
} from '../../../test/support/embedding-server.ts'
import { createHttpEmbedder } from '../embed/http-embedder.ts'
import { CodeIndex } from './code-index.ts'
import { CodeVectors } from './code-vectors.ts'

let server: EmbeddingServer
let folder = ''
beforeEach(async () => {
  server = await startEmbeddingServer()
  folder = await mkdtemp(join(tmpdir(), 'code-vectors-'))
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const anEmbedder = () =>
  createHttpEmbedder({ baseUrl: server.baseUrl, model: 'words', backOffMs: 1, retries: 1 })

function aFile(path: string, ...texts: string[]) {
  const chunks = texts.map((text, at) => ({
    text,
    startLine: at * 10 + 1,
    endLine: at * 10 + 10,
    definitions: [],
  }))
  return { path, chunks }
}

describe('CodeVectors', () => {
  it('finds chunks by meaning, which the index ranks with the rest', async () => {
    const files = [
      aFile('src/a.ts', 'open the socket', 'close the socket gently'),
      aFile('src/b.ts', 'parse the header'),
    ]
    const vectors = await CodeVectors.create(anEmbedder())
    const index = new CodeIndex()
    for (const file of files) {
      await vectors.set(file)
      index.set(file)
    }
    const similar = await vectors.similar('close the socket gently')
    expect(similar[0]).toMatchObject({ path: 'src/a.ts', chunk: 1 })
    // A word the index has never seen: only the vectors can find it.
    const hits = index.search('unheard', { similar })
    expect(hits[0]).toMatchObject({ path: 'src/a.ts', startLine: 11 })
  })

  it('follows changes and comes back from its file', async () => {
    const vectors = await CodeVectors.create(anEmbedder())
    await vectors.set(aFile('a#b.ts', 'one', 'two', 'three'))
    await vectors.set(aFile('c.ts', 'four'))
    await vectors.save(join(folder, 'x.vectors'))
    const loaded = await CodeVectors.load(join(folder, 'x.vectors'), anEmbedder())
    await loaded.set(aFile('a#b.ts', 'five'))
    expect(loaded.size).toBe(2)
    expect(loaded.delete('c.ts')).toBe(true)
    expect(await loaded.similar('five')).toMatchObject([{ path: 'a#b.ts', chunk: 0 }])
  })

  it('throws while the embedder is away, and keeps what it had', async () => {
    const vectors = await CodeVectors.create(anEmbedder())
    await vectors.set(aFile('a.ts', 'one'))
    for (let n = 0; n < 4; n++) server.trouble.push((response) => response.writeHead(503).end())
    await expect(vectors.set(aFile('a.ts', 'two'))).rejects.toMatchObject({ reason: 'refused' })
    await expect(vectors.similar('one')).rejects.toMatchObject({ reason: 'refused' })
    expect(await vectors.similar('one')).toHaveLength(1)
  })
})
