import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import { countTokens } from '../../../shaping/tokens.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { createKnowledgeBase } from '../knowledge-base.ts'
import { ingestOptions } from './ingest-options.ts'

/** A queue that takes no job at the first try; the kinds of the jobs that it took later. */
function aQueueWithAnOutage() {
  const tries: string[] = []
  const jobs: Jobs = {
    work: async () => undefined,
    every: () => undefined,
    close: async () => undefined,
    async add(kind) {
      if (tries.push(kind) === 1) throw new Error('the queue cannot be reached')
    },
  }
  return { jobs, taken: () => [...new Set(tries.slice(1))] }
}

it.each([
  'https://example.com/docs',
  'HTTPS://example.com/docs',
  'https://example.com/docs.git',
  'git+https://example.com/docs',
])('enqueues a job for %s again, for any replica', async (target) => {
  const folder = await temporaryFolder()
  const storage = await openStorage({ home: folder.path })
  const { jobs, taken } = aQueueWithAnOutage()
  const base = createKnowledgeBase({ storage, countTokens, leaseMs: 50, jobs: async () => jobs })
  onTestFinished(async () => {
    await base.close()
    await storage.close()
    await folder.remove()
  })
  await base.queue.add([target], ingestOptions.parse({ collection: 'c' }))
  await expect.poll(taken).toEqual(['knowledge.ingest'])
})
