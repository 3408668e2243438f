import type { KnowledgeStore } from '../store/knowledge-store.ts'
import {
  type KnowledgeQuery,
  type SearchHit,
  type SearchOutcome,
  searchKnowledge,
} from './search-knowledge.ts'

/**
 * Searches all wordings of a question. A passage counts by the wording that it answers best, and the
 * best of each wording is kept.
 */
export async function searchWordings(
  store: KnowledgeStore,
  wordings: readonly string[],
  asked: Omit<KnowledgeQuery, 'query'>,
): Promise<SearchOutcome> {
  const outcomes: SearchOutcome[] = []
  const leftMs = asked.leftMs === undefined ? undefined : asked.leftMs / wordings.length
  // One after the other, as each works on the main thread; they share the caller's time.
  for (const query of wordings)
    outcomes.push(await searchKnowledge(store, { ...asked, leftMs, query }))
  const [first] = outcomes
  if (outcomes.length === 1 && first) return first
  return {
    found: best(
      outcomes.map(({ found }) => found),
      asked.limit,
    ),
    lexicalOnly: outcomes.some(({ lexicalOnly }) => lexicalOnly),
  }
}

function best(lists: readonly (readonly SearchHit[])[], limit: number): SearchHit[] {
  const hits = new Map<string, SearchHit>()
  for (const hit of lists.flat().toSorted((a, b) => b.score - a.score))
    if (!hits.has(hit.chunk.id)) hits.set(hit.chunk.id, hit)
  const firsts = new Set(lists.map(([hit]) => hit?.chunk.id))
  const others = [...hits.keys()].filter((id) => !firsts.has(id))
  const kept = new Set([...firsts, ...others.slice(0, Math.max(0, limit - firsts.size))])
  return [...hits.values()].filter(({ chunk }) => kept.has(chunk.id)).slice(0, limit)
}
