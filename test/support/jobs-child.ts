import { openJobs } from '../../src/jobs/open-jobs.ts'
import { createKnowledgeBase } from '../../src/builtins/knowledge/knowledge-base.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { openStorage } from '../../src/storage/open-storage.ts'

/** A replica that does nothing but ingest; it says when it is there, and lives until it is killed. */
const [databaseUrl = '', host = ''] = process.argv.slice(2)
const storage = await openStorage({ home: '', databaseUrl })
const base = createKnowledgeBase({
  storage,
  countTokens,
  // Short, but longer than a busy machine may stop a process.
  leaseMs: 5000,
  jobs: async () => openJobs(storage),
  fetch: { allowedHosts: [host], timeoutMs: 120_000 },
  respectRobots: false,
})
base.queue.start()
process.stdout.write('ready\n')
