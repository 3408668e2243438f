import { mkdirSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { hashEmbedder } from '../../../../test/support/hash-embedder.ts'
import { startQdrantStandIn } from '../../../../test/support/qdrant-stand-in.ts'
import { testKnowledgeStore } from '../../../../test/support/test-knowledge-store.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { countTokens } from '../../../shaping/tokens.ts'
import { listSources } from '../../../storage/knowledge/sources.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { ingestJob } from '../ingest/ingest-options.ts'
import { createKnowledgeBase } from '../knowledge-base.ts'
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
    breakVectors: (isSilent) => qdrant.refuse(isSilent ? 'silent' : 503),
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

it('counts the revision last, because the other writers wait for that lock', async () => {
  const home = tempFolder()
  const storage = await openStorage({ home: home.path })
  const base = createKnowledgeBase({ storage, countTokens })
  onTestFinished(async () => {
    await base.close()
    await storage.close()
  })
  const { targets, options } = ingestJob.parse({
    targets: [home.write('a.md', '# Ropes\n\nRopes wear.')],
    options: { collection: 'c' },
  })
  await base.queue.run(targets, options)
  await sql`create table noted (chunks integer, deleted integer)`.execute(storage.db)
  await sql`create trigger note after update on counters begin
    insert into noted select (select count(*) from knowledge_chunks), deleted
      from knowledge_sources; end`.execute(storage.db)
  home.write('a.md', `# Ropes\n\n${'Ropes wear, and are replaced. '.repeat(500)}`)
  await base.queue.run(targets, options)
  const [source] = await listSources(storage.db)
  if (source) await base.store.remove(source.id)
  const { rows } = await sql<object>`select * from noted`.execute(storage.db)
  expect(source?.chunk_count).toBeGreaterThan(1)
  expect(rows).toEqual([
    { chunks: source?.chunk_count, deleted: 0 },
    { chunks: 0, deleted: 1 },
  ])
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
