import { readFile } from 'node:fs/promises'
import type { Embedder } from '../../src/search/embed/embedder.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { openCommunity } from '../../src/builtins/traces/community/open-community.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { answerOf, register, settings } from './client.ts'
import { fill } from './fill.ts'
import { round } from './round.ts'

const OTHERS = 5_000

export interface Quality {
  readonly mrr: number
  readonly recall: number
}

interface Labelled {
  readonly query: string
  /** The title of the right answer. */
  readonly title: string
}

/** Measures the rank of the right answers in the starter set among 5,000 other traces. */
export async function measureQuality(embedder?: Embedder): Promise<Quality> {
  const queries: Labelled[] = JSON.parse(await read('queries.json'))
  const starter: object[] = JSON.parse(await read('../../assets/starter-traces.json'))
  const home = await temporaryFolder()
  const storage = await openStorage({ home: home.path })
  const traces = openCommunity({ storage, settings, ...(embedder && { embedder }) })
  const client = await register(traces)
  for (const trace of starter) await client.post('/traces', trace)
  await fill(storage, { count: OTHERS, author: client.id, seed: 5 })
  while ((await traces.embed()) > 0);
  await traces.deps.index.sync()
  let [sum, hits] = [0, 0]
  for (const { query, title } of queries) {
    const { results } = await answerOf<{ results: { title: string }[] }>(
      await client.post('/traces/search', { q: query }),
    )
    const place = results.findIndex((trace) => trace.title === title)
    if (place >= 0) sum += 1 / (place + 1)
    if (place >= 0) hits += 1
    if (place !== 0 && process.env['BENCH_MISSES'])
      console.log(`at ${place + 1}: ${query}\n  wanted: ${title}\n  first: ${results[0]?.title}`)
  }
  const [mrr, recall] = [round(sum / queries.length, 3), round(hits / queries.length, 3)]
  console.log(
    `quality, ${embedder?.identity ?? 'no embedder'}: MRR ${mrr}, recall@10 ${recall} over ${queries.length} queries`,
  )
  await traces.close()
  await storage.close()
  await home.remove()
  return { mrr, recall }
}

async function read(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8')
}
