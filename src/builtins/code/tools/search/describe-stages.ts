import type { ExplainedCodeHit } from '../../../../search/code/code-index.ts'
import type { CodeQuery } from '../../../../search/code/code-query.ts'
import { definitionBoost } from '../../../../search/code/spread-chunks.ts'
import type { VectorChunkHit } from '../../engine/index/chunk-vectors.ts'
import type { HybridHit } from '../../engine/search/hybrid-hits.ts'

/** Undefined if that kind of search was not used. */
export type Vectors = readonly VectorChunkHit[] | undefined
type ExplainedHits = readonly ExplainedCodeHit[] | undefined

/** The constant that `fuse` adds to a rank. */
const RANK_CONSTANT = 60

export function describeMode(byVectors: boolean, explained: ExplainedHits): Record<string, string> {
  if (!byVectors)
    return explained?.some(({ features }) => features.nearest > 0)
      ? {
          mode: 'hybrid',
          reason:
            'The words are searched; what was found is ranked by words, by its place in the project and by meaning, with the vectors of the index',
        }
      : {
          mode: 'keyword',
          reason:
            'A bare name, or an index without vectors: the words are searched and ranked with what is known of the files',
        }
  return explained
    ? {
        mode: 'hybrid',
        reason: 'An embedder is configured: words and vectors are searched and fused',
      }
    : { mode: 'vector', reason: 'use_hybrid_search is false: only the vectors are searched' }
}

export function describeVectors(vectors: Vectors = []): Record<string, unknown> {
  return {
    result_count: vectors.length,
    top_score: vectors[0]?.score ?? null,
    bottom_score: vectors.at(-1)?.score ?? null,
    results: vectors.map(({ path, chunk, score }) => ({ file_path: path, chunk, score })),
  }
}

export function describeKeywords(
  explained: ExplainedHits,
  normalized: string,
): Record<string, unknown> {
  const results = (explained ?? []).map((hit) => ({
    ...place(hit),
    score: hit.score,
    features: Object.fromEntries(Object.entries(hit.features).filter(([, value]) => value !== 0)),
  }))
  return {
    executed: explained !== undefined,
    normalized_query: normalized,
    result_count: results.length,
    top_ts_rank: results[0]?.score ?? null,
    results,
  }
}

/** Describes the fusion; `fused` is undefined if there was nothing to fuse. */
export function describeFusion(fused: readonly HybridHit[] | undefined): Record<string, unknown> {
  const [hits, count] = [fused ?? [], (of: (hit: HybridHit) => boolean) => hits.filter(of).length]
  return {
    executed: fused !== undefined,
    k_constant: RANK_CONSTANT,
    vector_only_count: count(({ keywordScore }) => keywordScore === undefined),
    keyword_only_count: count(({ vectorScore }) => vectorScore === undefined),
    both_count: count((hit) => hit.keywordScore !== undefined && hit.vectorScore !== undefined),
    total_fused: hits.length,
    results: hits.map((hit) => ({
      ...place(hit),
      score: hit.score,
      keyword_score: hit.keywordScore ?? null,
      vector_score: hit.vectorScore ?? null,
    })),
  }
}

/** Describes how the ranks changed because some results define what the query names. */
export function describeBoost(
  kind: CodeQuery['kind'],
  explained: ExplainedHits = [],
): Record<string, unknown> {
  const multiplier = definitionBoost(kind)
  const without = explained.toSorted(
    (a, b) => plainScore(b, multiplier) - plainScore(a, multiplier),
  )
  const changes = explained.flatMap((hit, after) => {
    const before = without.indexOf(hit)
    return before === after
      ? []
      : [{ ...place(hit), rank_before: before + 1, rank_after: after + 1 }]
  })
  const boosted = explained.filter(({ features }) => features.defines > 0).length
  return {
    executed: boosted > 0,
    boost_multiplier: Math.round(multiplier * 1_000) / 1_000,
    boosted_count: boosted,
    rank_changes: changes,
  }
}

function plainScore({ score, features }: ExplainedCodeHit, multiplier: number): number {
  return score / multiplier ** features.defines
}

function place({ path, startLine, endLine }: HybridHit): Record<string, unknown> {
  return { file_path: path, start_line: startLine, end_line: endLine }
}
