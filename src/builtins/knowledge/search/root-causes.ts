import type { KnowledgeStore } from '../store/knowledge-store.ts'
import { type Found, partText, searchKnowledge } from './search-knowledge.ts'

export interface RootCause extends Found {
  readonly metadata: {
    readonly symptoms: readonly string[]
    readonly root_cause: string | null
    readonly contributing_factors: readonly string[]
    readonly resolution: string | null
  }
}

const FAILURE_WORDS = 'failure symptom root cause corrective action resolution'
const MOST = 3

const [SYMPTOM, CAUSE, FACTOR, RESOLUTION] = [
  /(?:symptoms?|observed|failure mode)\s*[:–—-]\s*([^.;\n)]+)/gi,
  /root causes?\s*(?:[:–—-]|\b(?:was|is)\b)\s*([^.;\n]+)/gi,
  /contributing factors?\s*[:–—-]\s*([^.;\n]+)/gi,
  /(?:resolution|corrective actions?|remedy|fix)\s*[:–—-]\s*([^.\n]+)/gi,
]

/** Finds known failures by the description alone and with the vocabulary of failure reports. */
export async function rootCauses(
  store: KnowledgeStore,
  query: string,
  { limit, minScore }: { readonly limit: number; readonly minScore: number },
): Promise<{ readonly causes: readonly RootCause[]; readonly lexicalOnly: boolean }> {
  const wide = limit * 3
  const plain = await searchKnowledge(store, { query, limit: wide })
  const expanded = await searchKnowledge(store, { query: `${query} ${FAILURE_WORDS}`, limit: wide })
  const scores = new Map(plain.found.map(({ id, score }) => [id, score]))
  const all = new Map([...expanded.found, ...plain.found].map((hit) => [hit.id, hit]))
  const causes = [...all.values()]
    .map((hit) => scored(hit, scores.get(hit.id) ?? hit.score * 0.5))
    .filter(({ score }) => score >= minScore)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
  return { causes, lexicalOnly: plain.lexicalOnly || expanded.lexicalOnly }
}

function scored(hit: Found, base: number): RootCause {
  const text = partText(hit)
  const metadata = {
    symptoms: matches(text, SYMPTOM),
    root_cause: matches(text, CAUSE)[0] ?? null,
    contributing_factors: matches(text, FACTOR)
      .flatMap((factors) => factors.split(/,\s*/))
      .slice(0, MOST),
    resolution: matches(text, RESOLUTION)[0] ?? null,
  }
  const boost =
    (metadata.symptoms.length > 0 ? 1.1 : 1) *
    (metadata.root_cause ? 1.15 : 1) *
    (metadata.resolution ? 1.1 : 1)
  return { ...hit, metadata, score: Math.min(1, base * boost) }
}

function matches(text: string, pattern: RegExp | undefined): string[] {
  if (!pattern) return []
  return [...text.matchAll(pattern)].flatMap(([, found]) => found?.trim() ?? []).slice(0, MOST)
}
