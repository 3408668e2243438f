import { openJobs } from '../../src/jobs/open-jobs.ts'
import { createKnowledgeBase } from '../../src/builtins/knowledge/knowledge-base.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { openStorage } from '../../src/storage/open-storage.ts'

/** A replica that only ingests; it prints when it is ready, and runs until it is killed. */
const [databaseUrl = '', host = ''] = process.argv.slice(2)
const storage = await openStorage({ home: '', databaseUrl })
const base = createKnowledgeBase({
  storage,
  countTokens,
  // Short, but longer than a busy machine may pause a process.
  leaseMs: 5000,
  jobs: async () => openJobs(storage),
  fetch: { allowedHosts: [host], timeoutMs: 120_000 },
})
base.queue.start()
process.stdout.write('ready\n')
