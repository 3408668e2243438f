import { z } from 'zod'
import type { ExplainedCodeHit } from '../../../search/code/code-index.ts'
import { parseCodeQuery } from '../../../search/code/code-query.ts'
import type { VectorChunkHit } from '../engine/chunk-vectors.ts'
import { defineTool } from '../../kit/define-tool.ts'
import { type CodeResult, searchCode, searchHybrid } from '../engine/search-code.ts'
import { toAccept } from '../engine/search-filter.ts'
import { rewriteQuery } from '../project/rewrite-query.ts'
import { answeringObject } from './answer.ts'
import type { CodeDeps } from './code-deps.ts'
import { type FoundIndex, findIndex } from './find-index.ts'
import { freshen } from './freshness.ts'
import { InBandError } from './in-band-error.ts'
import {
  READ_ONLY,
  indexName,
  indexNames,
  language,
  limit,
  query,
  symbolName,
  symbolType,
  useHybridSearch,
} from './inputs.ts'

const INPUT = z.object({
  query: query.describe('The query to explain'),
  index_name: indexName,
  limit,
  language,
  use_hybrid_search: useHybridSearch,
  symbol_type: symbolType,
  symbol_name: symbolName,
  index_names: indexNames,
  rewrite_query: z
    .boolean()
    .default(true)
    .describe('Let the query-rewrite controller improve the query, where one is enabled'),
})

export const analyzeQueryTool = defineTool({
  name: 'analyze_query',
  title: 'Explain a search',
  description:
    'Why search_code answers a query as it does: how the query was read, what each result scored and by which features, what was filtered, where the time went.',
  input: INPUT,
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answeringObject(async () => {
      if (!input.index_names?.length)
        return analyze(input, deps, await findIndex(deps, context, input.index_name))
      const results: Record<string, unknown>[] = []
      for (const name of input.index_names) {
        const found = await findIndex(deps, context, name)
        results.push({ index_name: name, ...(await analyze(input, deps, found)) })
      }
      return { index_names: input.index_names, results }
    }),
})

type Input = z.output<typeof INPUT>

async function analyze(
  input: Input,
  deps: CodeDeps,
  found: FoundIndex,
): Promise<Record<string, unknown>> {
  const { index } = found.live
  const watch = new StopWatch()
  await freshen(deps, found)
  watch.lap('freshness_ms')
  const rewritten = input.rewrite_query
    ? await rewriteQuery(input.query, found.config, deps.env)
    : { isEnabled: false, query: input.query, isChanged: false }
  const { query: effective } = rewritten
  watch.lap('rewrite_ms')
  const filter = {
    language: input.language,
    symbolType: input.symbol_type,
    symbolName: input.symbol_name,
  }
  const accept = toAccept(index, filter)
  const parsed = parseCodeQuery(effective)
  watch.lap('query_analysis_ms')
  const explained = index.lexical.explain(effective, {
    limit: input.limit,
    ...(accept && { accept }),
  })
  watch.lap('keyword_search_ms')
  const vectors = await vectorHits({ ...input, query: effective }, deps, found)
  watch.lap('vector_search_ms')
  const request = { ...filter, query: effective, limit: input.limit, smartContext: false }
  const results =
    vectors && found.live.vectors
      ? await searchHybrid(index, found.live.vectors, {
          ...request,
          vectorsOnly: input.use_hybrid_search === false,
        })
      : searchCode(index, request)
  watch.lap('rrf_fusion_ms')
  const defining = explained.filter(({ features }) => features.defines > 0).length
  return {
    query_analysis: {
      original_query: input.query,
      has_identifier: parsed.names.length > 0,
      normalized_keyword_query: parsed.stems.join(' '),
      identifiers: parsed.names,
      rewrite_enabled: rewritten.isEnabled,
      rewritten: rewritten.isChanged,
      ...('problem' in rewritten && { rewrite_problem: rewritten.problem }),
      effective_query: effective,
    },
    search_mode: {
      ...modeOf(vectors),
      use_hybrid_flag: input.use_hybrid_search,
      has_content_text_column: true,
      has_identifier_pattern: parsed.names.length > 0,
    },
    cache: { checked: false, hit: false, hit_type: null, cache_key_prefix: null },
    vector_search: describeVectors(vectors),
    keyword_search: describeKeywords(explained, parsed.stems.join(' ')),
    fusion: describeFusion(vectors, results),
    definition_boost: {
      executed: defining > 0,
      boost_multiplier: null,
      boosted_count: defining,
      rank_changes: [],
    },
    filtering: {
      language: input.language,
      symbol_type: input.symbol_type,
      symbol_name: input.symbol_name,
      files_indexed: index.files.size,
    },
    timings: {
      ...watch.laps,
      cache_check_ms: 0,
      embedding_ms: 0,
      definition_boost_ms: 0,
      total_ms: watch.total,
    },
    results,
  }
}

type Vectors = readonly VectorChunkHit[] | undefined

function modeOf(vectors: Vectors): { mode: string; reason: string } {
  return vectors
    ? {
        mode: 'hybrid',
        reason: 'An embedder is configured: words and vectors are searched and fused',
      }
    : {
        mode: 'keyword',
        reason:
          'No embedder is configured: the words are searched and ranked with what is known of the files',
      }
}

function describeVectors(vectors: Vectors = []): Record<string, unknown> {
  return {
    result_count: vectors.length,
    top_score: vectors[0]?.score ?? null,
    bottom_score: vectors.at(-1)?.score ?? null,
    results: vectors.map(({ path, chunk, score }) => ({ file_path: path, chunk, score })),
  }
}

function describeKeywords(
  explained: readonly ExplainedCodeHit[],
  normalized: string,
): Record<string, unknown> {
  const results = explained.map(({ path, startLine, endLine, score, features }) => ({
    file_path: path,
    start_line: startLine,
    end_line: endLine,
    score,
    features: Object.fromEntries(Object.entries(features).filter(([, value]) => value !== 0)),
  }))
  return {
    executed: true,
    normalized_query: normalized,
    result_count: results.length,
    top_ts_rank: results[0]?.score ?? null,
    results,
  }
}

function describeFusion(vectors: Vectors, results: readonly CodeResult[]): Record<string, unknown> {
  const count = (type: CodeResult['match_type']): number =>
    results.filter(({ match_type: match }) => match === type).length
  return {
    executed: vectors !== undefined,
    k_constant: vectors ? 60 : null,
    vector_only_count: count('semantic'),
    keyword_only_count: count('keyword'),
    both_count: count('both'),
    total_fused: vectors ? results.length : 0,
    results: [],
  }
}

/** Names each stage with the milliseconds since the one before. */
class StopWatch {
  readonly laps: Record<string, number> = {}
  readonly #started = performance.now()
  #last = this.#started

  lap(name: string): void {
    const now = performance.now()
    this.laps[name] = round(now - this.#last)
    this.#last = now
  }

  get total(): number {
    return round(performance.now() - this.#started)
  }
}

const round = (ms: number): number => Math.round(ms * 1_000) / 1_000

/** Undefined where there is no embedder. */
async function vectorHits(input: Input, deps: CodeDeps, { live, config }: FoundIndex) {
  const embedder = await deps.embedders.for(config)
  if (!embedder) return undefined
  try {
    return await (await live.embed(embedder)).search(input.query, input.limit)
  } catch (error) {
    throw new InBandError(
      'Analysis failed',
      error instanceof Error ? error.message : String(error),
      {},
      error,
    )
  }
}
