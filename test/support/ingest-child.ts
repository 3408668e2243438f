import { ingestOptions } from '../../src/builtins/knowledge/ingest/ingest-options.ts'
import { createKnowledgeBase } from '../../src/builtins/knowledge/knowledge-base.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { openStorage } from '../../src/storage/open-storage.ts'

/** Ingests a folder and prints a line after the third document, where the test kills it. */
const [home = '', docs = ''] = process.argv.slice(2)
const storage = await openStorage({ home })
const base = createKnowledgeBase({ storage, countTokens, leaseMs: 200 })
await base.queue.run([docs], ingestOptions.parse({}), {
  onProgress({ done, outcome }) {
    if (outcome && done === 3) process.stdout.write('third\n')
  },
})
