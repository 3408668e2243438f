import { type SearchHit, searchKnowledge } from '../search/search-knowledge.ts'
import type { ChunkFilter } from '../store/chunk-filter.ts'
import type { KnowledgeStore } from '../store/knowledge-store.ts'
import { KnowledgeError } from '../knowledge-error.ts'
import type { GoldenQuery, GoldenSet } from './golden-set.ts'

interface GoldenOutcome {
  readonly query: string
  /** From 1; undefined if the results contain no answer. */
  readonly rank: number | undefined
  readonly found: readonly string[]
}

export interface GoldenReport {
  readonly queries: number
  readonly topK: number
  /** The share of questions with an answer in the first `topK` results. */
  readonly recall: number
  readonly mrr: number
  readonly outcomes: readonly GoldenOutcome[]
}

const DEPTH = 20

/** Asks every question and records the rank of the first correct passage. */
export async function runGoldenSet(
  store: KnowledgeStore,
  { queries, top_k: topK }: GoldenSet,
  filter: ChunkFilter = {},
): Promise<GoldenReport> {
  const outcomes: GoldenOutcome[] = []
  for (const golden of queries) {
    const limit = Math.max(DEPTH, topK)
    const { found, lexicalOnly } = await searchKnowledge(store, {
      query: golden.query,
      limit,
      filter,
    })
    if (lexicalOnly)
      throw new KnowledgeError(
        'connection_error',
        'The embedder does not answer: these would be the figures of search by words alone',
      )
    const at = found.findIndex((hit) => answers(hit, golden))
    outcomes.push({
      query: golden.query,
      rank: at < 0 ? undefined : at + 1,
      found: found
        .slice(0, topK)
        .map(({ chunk, part }) => `${chunk.source.title} ${part?.clause ?? ''}`),
    })
  }
  const ranks = outcomes.map(({ rank }) => rank ?? Infinity)
  return {
    queries: queries.length,
    topK,
    recall: share(ranks.filter((rank) => rank <= topK).length, queries.length),
    mrr: share(
      ranks.reduce((sum, rank) => sum + 1 / rank, 0),
      queries.length,
    ),
    outcomes,
  }
}

/** Whether a passage is in the right document, has one of the clauses and all the words. */
function answers({ chunk }: SearchHit, golden: GoldenQuery): boolean {
  const { expected_in_top_k: words, also } = golden
  const content = chunk.content.toLowerCase()
  const hasWords = words.every((word) => content.includes(word.toLowerCase()))
  return (hasWords && holds(chunk, golden)) || also.some((other) => holds(chunk, other))
}

function holds(
  chunk: SearchHit['chunk'],
  {
    document,
    clauses,
  }: { readonly document?: string | undefined; readonly clauses: readonly string[] },
): boolean {
  if (document && !isDocument(chunk, document)) return false
  if (clauses.length === 0) return true
  return chunk.parts.some(({ clause }) => clause !== null && clauses.includes(clause))
}

function isDocument({ source }: SearchHit['chunk'], name: string): boolean {
  return source.standard === name || source.title.toLowerCase().startsWith(name.toLowerCase())
}

function share(part: number, whole: number): number {
  return Number((part / whole).toFixed(4))
}
