import { z } from 'zod'
import { parseCodeQuery } from '../../../search/code/code-query.ts'
import { defineTool } from '../../kit/define-tool.ts'
import { searchCode } from '../engine/search-code.ts'
import { toAccept } from '../engine/search-filter.ts'
import { answeringObject } from './answer.ts'
import type { CodeDeps } from './code-deps.ts'
import { type FoundIndex, findIndex } from './find-index.ts'
import { freshen } from './freshness.ts'
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

async function analyze(
  input: z.output<typeof INPUT>,
  deps: CodeDeps,
  found: FoundIndex,
): Promise<Record<string, unknown>> {
  const started = performance.now()
  await freshen(deps, found)
  const freshened = performance.now()
  const { index } = found.live
  const filter = {
    language: input.language,
    symbolType: input.symbol_type,
    symbolName: input.symbol_name,
  }
  const accept = toAccept(index, filter)
  const parsed = parseCodeQuery(input.query)
  const analysed = performance.now()
  const explained = index.lexical.explain(input.query, {
    limit: input.limit,
    ...(accept && { accept }),
  })
  const searched = performance.now()
  const results = searchCode(index, {
    ...filter,
    query: input.query,
    limit: input.limit,
    smartContext: false,
  })
  const hits = explained.map(({ path, startLine, endLine, score, features }) => ({
    file_path: path,
    start_line: startLine,
    end_line: endLine,
    score,
    features: Object.fromEntries(Object.entries(features).filter(([, value]) => value !== 0)),
  }))
  const defining = explained.filter(({ features }) => features.defines > 0).length
  return {
    query_analysis: {
      original_query: input.query,
      has_identifier: parsed.names.length > 0,
      normalized_keyword_query: parsed.stems.join(' '),
      identifiers: parsed.names,
      rewrite_enabled: false,
      rewritten: false,
      effective_query: input.query,
    },
    search_mode: {
      mode: 'keyword',
      reason:
        'No embedder is configured: the words are searched and ranked with what is known of the files',
      use_hybrid_flag: input.use_hybrid_search,
      has_content_text_column: true,
      has_identifier_pattern: parsed.names.length > 0,
    },
    cache: { checked: false, hit: false, hit_type: null, cache_key_prefix: null },
    vector_search: { result_count: 0, top_score: null, bottom_score: null, results: [] },
    keyword_search: {
      executed: true,
      normalized_query: parsed.stems.join(' '),
      result_count: hits.length,
      top_ts_rank: hits[0]?.score ?? null,
      results: hits,
    },
    fusion: {
      executed: false,
      k_constant: null,
      vector_only_count: 0,
      keyword_only_count: hits.length,
      both_count: 0,
      total_fused: hits.length,
      results: [],
    },
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
      freshness_ms: ms(freshened - started),
      query_analysis_ms: ms(analysed - freshened),
      cache_check_ms: 0,
      embedding_ms: 0,
      vector_search_ms: 0,
      keyword_search_ms: ms(searched - analysed),
      rrf_fusion_ms: 0,
      definition_boost_ms: 0,
      total_ms: ms(performance.now() - started),
    },
    results,
  }
}

const ms = (duration: number): number => Math.round(duration * 1_000) / 1_000
