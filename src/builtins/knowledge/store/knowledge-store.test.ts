import { mkdirSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { hashEmbedder } from '../../../../test/support/hash-embedder.ts'
import { startQdrantStandIn } from '../../../../test/support/qdrant-stand-in.ts'
import { testKnowledgeStore } from '../../../../test/support/test-knowledge-store.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { KnowledgeStore } from './knowledge-store.ts'
import { createQdrantVectors } from './qdrant-vectors.ts'

testKnowledgeStore('SQLite with the vectors in this process', async () => ({
  vectors: { kind: 'embedded' },
  remove: async () => {},
}))

testKnowledgeStore('SQLite with Qdrant (a stand-in of our own)', async () => {
  const qdrant = await startQdrantStandIn('secret')
  return {
    vectors: { kind: 'qdrant', url: qdrant.url, apiKey: 'secret', collection: 'kb' },
    breakVectors: () => qdrant.refuse(503),
    vectorCount: qdrant.points,
    remove: async () => qdrant.close(),
  }
})

it('closes its embedder, and loads no index for that', async () => {
  const folder = tempFolder()
  const storage = await openStorage({ home: folder.path })
  onTestFinished(async () => storage.close())
  // A folder in place of the saved index: loading it would fail.
  mkdirSync(folder.file('knowledge.index'))
  let closed = 0
  const embedder = { ...hashEmbedder(), close: async () => void closed++ }
  await new KnowledgeStore({ storage, embedder, home: folder.path }).close()
  expect(closed).toBe(1)
})

it('says that the key is wrong, and that Qdrant cannot be reached', async () => {
  const qdrant = await startQdrantStandIn('secret')
  const options = { url: qdrant.url, collection: 'kb', model: 'm', dimension: 4 }
  await expect(createQdrantVectors({ ...options, apiKey: 'other' })).rejects.toMatchObject({
    code: 'auth_error',
    recoverable: false,
  })
  await qdrant.close()
  await expect(createQdrantVectors(options)).rejects.toMatchObject({ code: 'connection_error' })
})
