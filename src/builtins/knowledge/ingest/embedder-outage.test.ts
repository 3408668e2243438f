import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashEmbedder } from '../../../../test/support/hash-embedder.ts'
import { startKnowledge } from '../../../../test/support/knowledge-service.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Embedder } from '../../../search/embed/embedder.ts'
import { EmbedderError } from '../../../search/embed/embedder-error.ts'
import { countTokens } from '../../../shaping/tokens.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { findJob } from '../../../storage/knowledge/jobs.ts'
import { listSources } from '../../../storage/knowledge/sources.ts'
import { createKnowledgeBase } from '../knowledge-base.ts'
import { ingestOptions } from './ingest-options.ts'

const patient = { timeout: 30_000, interval: 100 }

async function start(reason: EmbedderError['reason']) {
  const folder = await temporaryFolder()
  const storage = await openStorage({ home: folder.path })
  const hash = hashEmbedder()
  const service = { isOut: true, asked: 0 }
  const embedder: Embedder = {
    ...hash,
    async embed(texts, kind) {
      service.asked++
      if (service.isOut) throw new EmbedderError(reason, 'the service says no')
      return hash.embed(texts, kind)
    },
  }
  const base = createKnowledgeBase({ storage, countTokens, embedder, leaseMs: 200 })
  onTestFinished(async () => {
    await base.close()
    await storage.close()
    await folder.remove()
  })
  await writeFile(join(folder.path, 'a.md'), '# 1 Ropes\n\nRopes are wound on drums.')
  const options = ingestOptions.parse({ collection: 'c' })
  const id = await base.queue.add([join(folder.path, 'a.md')], options)
  const job = async () => findJob(storage.db, id)
  return { service, job, storage }
}

describe('a job in the background whose embedder fails', () => {
  it('waits for it, and is done once it answers', async () => {
    const { service, job, storage } = await start('unreachable')
    await expect.poll(() => service.asked, patient).toBeGreaterThan(2)
    expect((await job())?.status).toBe('running')
    service.isOut = false
    await expect.poll(async () => (await job())?.status, patient).toBe('done')
    expect(await listSources(storage.db, { status: 'complete' })).toHaveLength(1)
  })

  it('ends at once where waiting does not help', async () => {
    const { service, job } = await start('refused')
    await expect.poll(async () => (await job())?.status, patient).toBe('failed')
    expect(service.asked).toBe(1)
  })
})

describe('a document that was ingested without the model in use', () => {
  it('gets its vectors when it is ingested again, though it has not changed', async () => {
    const folder = await temporaryFolder()
    onTestFinished(async () => folder.remove())
    const file = join(folder.path, 'a.md')
    await writeFile(file, '# 1 Ropes\n\nRopes are wound on drums.')
    const ingest = async (embedder?: Embedder) => {
      const knowledge = await startKnowledge({
        embedder,
        storage: await openStorage({ home: folder.path }),
      })
      const { status } = await knowledge.ask('knowledge_stats')
      const { message } = await knowledge.ask('knowledge_ingest', { url: file })
      const { vectors_count: vectors } = await knowledge.ask('knowledge_stats')
      await knowledge.close()
      return [status, message, vectors]
    }
    expect(await ingest()).toEqual(['green', '1 stored', 0])
    expect(await ingest(hashEmbedder())).toEqual(['yellow', '1 stored', 1])
    expect(await ingest(hashEmbedder())).toEqual(['green', '1 unchanged', 1])
    expect(await ingest()).toEqual(['green', '1 unchanged', 0])
    const other = { ...hashEmbedder(), identity: 'another-model' }
    expect(await ingest(other)).toEqual(['yellow', '1 stored', 1])
  })
})
