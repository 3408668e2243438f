import { readFile } from 'node:fs/promises'
import type { Embedder } from '../../src/search/embed/embedder.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { openCommunity } from '../../src/builtins/traces/community/open-community.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { type Client, answerOf, register, settings } from './client.ts'
import { fill } from './fill.ts'
import { round } from './round.ts'

const OTHERS = 5_000

export interface Quality {
  readonly mrr: number
  readonly recall: number
  /** The same problems as a person tells them, in both halves of the set. */
  readonly own: Wording
  /** The same in the words of an agent. */
  readonly agent: Wording
}

interface Wording {
  readonly of: number
  readonly mrr: number
  readonly first: number
  readonly empty: number
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
  const ask = async (questions: readonly Labelled[]) => askAll(client, questions)
  const { mrr, recall } = await ask(queries)
  const wordings = await Promise.all(HALVES.map(readProblems))
  const problems = wordings.flat()
  const own = await ask(problems.map(({ own: query, title }) => ({ query, title })))
  const agent = await ask(problems.map(({ agent: query, title }) => ({ query, title })))
  const quality = { mrr, recall, own, agent }
  console.log(`quality, ${embedder?.identity ?? 'no embedder'}: ${JSON.stringify(quality)}`)
  await traces.close()
  await storage.close()
  await home.remove()
  return quality
}

/** Half of these problems were looked at while the search was changed, half only afterwards. */
const HALVES = ['development', 'apart']

interface Problem {
  readonly own: string
  readonly agent: string
  readonly title: string
}

async function readProblems(half: string): Promise<readonly Problem[]> {
  if ((process.env['BENCH_HALF'] ?? half) !== half) return []
  return JSON.parse(await read(`../data/wordings/traces-${half}.json`))
}

/** Asks each question, and reports where the right trace is in the answer. */
async function askAll(client: Client, questions: readonly Labelled[]) {
  let [sum, hits, first, empty] = [0, 0, 0, 0]
  for (const { query, title } of questions) {
    const { results } = await answerOf<{ results: { title: string }[] }>(
      await client.post('/traces/search', { q: query }),
    )
    const place = results.findIndex((trace) => trace.title === title)
    if (place >= 0) sum += 1 / (place + 1)
    if (place >= 0) hits += 1
    if (place === 0) first += 1
    if (results.length === 0) empty += 1
    if (place !== 0 && process.env['BENCH_MISSES'])
      console.log(`at ${place + 1}: ${query}\n  wanted: ${title}\n  first: ${results[0]?.title}`)
  }
  const of = questions.length
  return { of, mrr: round(sum / of, 3), recall: round(hits / of, 3), first, empty }
}

async function read(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8')
}
