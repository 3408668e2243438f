import { expect, it } from 'vitest'
import { startQdrantStandIn } from '../../../../test/support/qdrant-stand-in.ts'
import { testKnowledgeStore } from '../../../../test/support/test-knowledge-store.ts'
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
