import { appendFile, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type EmbeddingServer,
  startEmbeddingServer,
} from '../../../test/support/embedding-server.ts'
import { cacheEmbeddings } from './embedding-cache.ts'
import { createHttpEmbedder } from './http-embedder.ts'

let server: EmbeddingServer
let folder = ''
beforeEach(async () => {
  server = await startEmbeddingServer()
  folder = await mkdtemp(join(tmpdir(), 'embedding-cache-'))
})
afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

function anEmbedder(model = 'words') {
  return cacheEmbeddings(createHttpEmbedder({ baseUrl: server.baseUrl, model }), folder)
}

async function file(): Promise<string> {
  const [name = ''] = await readdir(folder)
  return join(folder, name)
}

const asked = () =>
  server.requests.flatMap(({ input }) => input).filter((text) => text !== 'dimension')

describe('the embedding cache', () => {
  it('asks for a text once, in this process and the next', async () => {
    const first = anEmbedder()
    const vectors = await first.embed(['one', 'two', 'one'], 'document')
    expect(await first.embed(['two'], 'document')).toEqual([vectors[1]])
    await first.close()
    const second = anEmbedder()
    expect(await second.embed(['two', 'three', 'one'], 'document')).toHaveLength(3)
    expect(await second.embed(['one'], 'document')).toEqual([vectors[0]])
    await second.close()
    expect(asked()).toEqual(['one', 'two', 'three'])
  })

  it('keeps models apart, and questions from documents', async () => {
    const one = anEmbedder()
    const other = anEmbedder('other')
    await one.embed(['x'], 'document')
    await one.embed(['x'], 'query')
    await other.embed(['x'], 'document')
    expect(asked()).toHaveLength(3)
    await Promise.all([one.close(), other.close()])
  })

  it('asks again for a record that is damaged, and only for that one', async () => {
    const first = anEmbedder()
    const vectors = await first.embed(['one', 'two'], 'document')
    await first.close()
    const bytes = await readFile(await file())
    bytes.writeUInt8(bytes.readUInt8(50) ^ 1, 50)
    await writeFile(await file(), bytes)
    const second = anEmbedder()
    expect(await second.embed(['one', 'two'], 'document')).toEqual(vectors)
    expect(asked()).toEqual(['one', 'two', 'one'])
    await second.close()
  })

  it('survives a record cut short by a crash', async () => {
    const first = anEmbedder()
    const [vector] = await first.embed(['one'], 'document')
    await first.close()
    await appendFile(await file(), 'half a record')
    const second = anEmbedder()
    await second.embed(['two'], 'document')
    expect(await second.embed(['one'], 'document')).toEqual([vector])
    await second.close()
    const third = anEmbedder()
    await third.embed(['one', 'two'], 'document')
    expect(asked()).toEqual(['one', 'two'])
    await third.close()
  })

  it('passes an outage on, and is over it when the embedder is', async () => {
    server.trouble.push((response) => response.writeHead(400).end('no'))
    const embedder = anEmbedder()
    await expect(embedder.embed(['one'], 'document')).rejects.toMatchObject({ reason: 'refused' })
    expect(await embedder.embed(['one'], 'document')).toHaveLength(1)
    await embedder.close()
  })
})
