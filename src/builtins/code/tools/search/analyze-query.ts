import { z } from 'zod'
import { messageOf } from '../../../../base/errors.ts'
import { parseCodeQuery } from '../../../../search/code/code-query.ts'
import { defineTool } from '../../../kit/define-tool.ts'
import { fuseHits, prefetchFor } from '../../engine/search/hybrid-hits.ts'
import { showHits } from '../../engine/search/search-code.ts'
import { toAccept } from '../../engine/search/search-filter.ts'
import { rewriteQuery } from '../../project/rewrite-query.ts'
import { answeringObject } from '../answer.ts'
import type { CodeDeps } from '../code-deps.ts'
import {
  type Vectors,
  describeBoost,
  describeFusion,
  describeKeywords,
  describeMode,
  describeVectors,
} from './describe-stages.ts'
import { embedIndex } from '../indexing/embed-index.ts'
import { type FoundIndex, findIndex } from '../indexing/find-index.ts'
import { freshen } from '../indexing/freshness.ts'
import { InBandError } from '../in-band-error.ts'
import {
  READ_ONLY,
  indexName,
  indexNames,
  language,
  limit,
  query,
  rewriteQuery as rewrite,
  symbolName,
  symbolType,
  useHybridSearch,
} from '../inputs.ts'

const INPUT = z.object({
  query: query.describe('The query to explain'),
  index_name: indexName,
  limit,
  language,
  use_hybrid_search: useHybridSearch,
  symbol_type: symbolType,
  symbol_name: symbolName,
  index_names: indexNames,
  rewrite_query: rewrite,
})

type Input = z.output<typeof INPUT>

export const analyzeQueryTool = defineTool({
  name: 'analyze_query',
  title: 'Explain a search',
  description:
    'Why search_code answers a query as it does: how the query was read, what each result scored and by which features, what was filtered, where the time went.',
  input: INPUT,
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answeringObject(async () => {
      const analyzed = async (name: string | null) =>
        analyze(input, deps, await findIndex(deps, context, name))
      if (!input.index_names?.length) return analyzed(input.index_name)
      const results: Record<string, unknown>[] = []
      for (const name of input.index_names)
        results.push({ index_name: name, ...(await analyzed(name).catch(toBody)) })
      return { index_names: input.index_names, results }
    }),
})

/** A missing index must not hide the answers of the others. */
function toBody(error: unknown): Record<string, unknown> {
  if (error instanceof InBandError) return error.toBody()
  throw error
}

async function analyze(
  input: Input,
  deps: CodeDeps,
  found: FoundIndex,
): Promise<Record<string, unknown>> {
  const { index } = found.live
  const { search } = found.config
  const wanted = input.limit ?? search.resultLimit
  const watch = new StopWatch()
  await freshen(deps, found)
  watch.lap('freshness_ms')
  const rewritten = input.rewrite_query
    ? await rewriteQuery(input.query, found.config, deps.env)
    : { isEnabled: false, query: input.query, isChanged: false }
  const { query: effective } = rewritten
  watch.lap('rewrite_ms')
  const { language: languages, symbol_type: types, symbol_name: names } = input
  const accept = toAccept(index, { language: languages, symbolType: types, symbolName: names })
  const parsed = parseCodeQuery(effective)
  watch.lap('query_analysis_ms')

  const vectors = await vectorHits(effective, wanted, { deps, found, accept, watch })
  const byWords = !vectors || input.use_hybrid_search !== false
  const explained = byWords
    ? index.lexical.explain(effective, {
        limit: vectors ? prefetchFor(wanted) : wanted,
        ...(accept && { accept }),
      })
    : undefined
  watch.lap('keyword_search_ms')
  const boost = describeBoost(parsed.kind, explained)
  watch.lap('definition_boost_ms')
  const hits = vectors ? fuseHits(index, vectors, explained, wanted) : (explained ?? [])
  watch.lap('rrf_fusion_ms')
  const kept = hits.filter(({ score }) => score >= search.minScore)
  const results = showHits(index, kept, { query: effective, limit: wanted })
  const normalized = parsed.stems.join(' ')
  return {
    query_analysis: {
      original_query: input.query,
      has_identifier: parsed.names.length > 0,
      normalized_keyword_query: normalized,
      identifiers: parsed.names,
      rewrite_enabled: rewritten.isEnabled,
      rewritten: rewritten.isChanged,
      ...('problem' in rewritten && { rewrite_problem: rewritten.problem }),
      effective_query: effective,
    },
    search_mode: {
      ...describeMode(vectors !== undefined, explained),
      use_hybrid_flag: input.use_hybrid_search,
      has_content_text_column: true,
      has_identifier_pattern: parsed.names.length > 0,
    },
    // There is no cache to check: every answer reflects the files as they are.
    cache: { checked: false, hit: false, hit_type: null, cache_key_prefix: null },
    vector_search: describeVectors(vectors),
    keyword_search: describeKeywords(explained, normalized),
    fusion: describeFusion(vectors && hits),
    definition_boost: boost,
    filtering: {
      language: languages,
      symbol_type: types,
      symbol_name: names,
      min_score: search.minScore,
      files_indexed: index.files.size,
      before: hits.length,
      after: kept.length,
    },
    timings: { ...watch.laps, cache_check_ms: 0, total_ms: watch.total },
    results,
  }
}

interface Searching {
  readonly deps: CodeDeps
  readonly found: FoundIndex
  readonly accept: ReturnType<typeof toAccept>
  readonly watch: StopWatch
}

/** Returns undefined if there is no embedder. */
async function vectorHits(
  text: string,
  wanted: number,
  { deps, found, accept, watch }: Searching,
): Promise<Vectors> {
  try {
    const vectors = await embedIndex(deps, found)
    const vector = await vectors?.embedQuery(text)
    watch.lap('embedding_ms')
    return vector && vectors?.near(vector, prefetchFor(wanted), accept)
  } catch (error) {
    const message = messageOf(error)
    throw new InBandError('Analysis failed', message, {}, error)
  } finally {
    watch.lap('vector_search_ms')
  }
}

/** Records for each stage the milliseconds since the previous one. */
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
