import { z } from 'zod'
import { dependency } from './code-graph-shapes.ts'

/** Strict schemas for the answers of the code server: fields of the contract, then our own. */

const text = z.string()
const count = z.int().nonnegative()
const score = z.number().min(0).max(1)
const when = z.iso.datetime()
const maybe = text.nullable()

export const inBandError = z.strictObject({
  error: text,
  message: text,
  results: z.array(z.never()).optional(),
  detected_path: text.optional(),
  suggested_index_name: text.optional(),
})

export const searchContext = z.strictObject({
  type: z.literal('search_context'),
  searching: text,
  index_name: text,
  last_indexed_at: when,
  project_source: z.enum(['roots', 'query', 'env', 'cwd']).optional(),
})

export const crossContext = z.strictObject({
  type: z.literal('search_context'),
  searching: z.literal('cross-index'),
  index_names: z.array(text),
  linked_indexes: z.array(text).optional(),
  skipped_indexes: z.array(text).optional(),
})

export const note = z.strictObject({ type: z.literal('hint'), message: text })

export const branchStaleness = z.strictObject({
  type: z.literal('branch_staleness_warning'),
  warning: z.literal('Index built from different branch'),
  message: z
    .string()
    .regex(
      /^Index built from '.+' \(\w+\), current branch is '.+' \(\w+\)\. Results may be stale\. Run `portolan code index .+` to update\.$/,
    ),
  indexed_branch: maybe,
  current_branch: maybe,
})

export const staleness = z.strictObject({
  type: z.literal('staleness_warning'),
  warning: z.literal('Index may be stale'),
  message: text,
  staleness_days: count,
})

const lines = z.tuple([z.int().positive(), z.int().positive()])

export const searchResult = z.strictObject({
  file_path: text,
  start_line: z.int().positive(),
  end_line: z.int().positive(),
  score,
  content: text,
  block_type: text,
  hierarchy: text,
  language_id: text,
  symbol_type: maybe,
  symbol_name: maybe,
  symbol_signature: maybe,
  symbol_lines: lines.optional(),
  match_line: z.number().optional(),
  match_type: z.enum(['semantic', 'keyword', 'both']),
  vector_score: z.number().optional(),
  keyword_score: score.optional(),
  context_before: text.optional(),
  context_after: text.optional(),
  dependencies: z.array(z.strictObject(dependency)).optional(),
  dependents: z.array(z.strictObject({ source_file: text, dep_type: text })).optional(),
  index_name: text.optional(),
})

/** A result cut to one line, so that the answer fits. */
export const resultStub = z.strictObject({
  file_path: text,
  start_line: z.int().positive(),
  end_line: z.int().positive(),
  score,
  content: text,
  symbol_name: text.optional(),
  symbol_lines: lines.optional(),
  index_name: text.optional(),
  is_stub: z.literal(true),
})

const place = { file_path: text, start_line: z.int(), end_line: z.int() }

export const analysis = z.strictObject({
  query_analysis: z.strictObject({
    original_query: text,
    has_identifier: z.boolean(),
    normalized_keyword_query: text,
    rewrite_enabled: z.boolean(),
    rewritten: z.boolean(),
    effective_query: text,
    identifiers: z.array(text),
    rewrite_problem: text.optional(),
  }),
  search_mode: z.strictObject({
    mode: z.enum(['keyword', 'hybrid', 'vector']),
    reason: text,
    use_hybrid_flag: z.boolean().nullable(),
    has_content_text_column: z.literal(true),
    has_identifier_pattern: z.boolean(),
  }),
  cache: z.strictObject({
    checked: z.literal(false),
    hit: z.literal(false),
    hit_type: z.null(),
    cache_key_prefix: z.null(),
  }),
  vector_search: z.strictObject({
    result_count: count,
    top_score: z.number().nullable(),
    bottom_score: z.number().nullable(),
    results: z.array(z.strictObject({ file_path: text, chunk: count, score: z.number() })),
  }),
  keyword_search: z.strictObject({
    executed: z.boolean(),
    normalized_query: text,
    result_count: count,
    top_ts_rank: score.nullable(),
    results: z.array(z.strictObject({ ...place, score, features: z.record(text, z.number()) })),
  }),
  fusion: z.strictObject({
    executed: z.boolean(),
    k_constant: z.literal(60),
    vector_only_count: count,
    keyword_only_count: count,
    both_count: count,
    total_fused: count,
    results: z.array(
      z.strictObject({
        ...place,
        score: z.number(),
        keyword_score: z.number().nullable(),
        vector_score: z.number().nullable(),
      }),
    ),
  }),
  definition_boost: z.strictObject({
    executed: z.boolean(),
    boost_multiplier: z.number().positive(),
    boosted_count: count,
    rank_changes: z.array(z.strictObject({ ...place, rank_before: count, rank_after: count })),
  }),
  filtering: z.strictObject({
    language: maybe,
    symbol_type: z.union([text, z.array(text)]).nullable(),
    symbol_name: maybe,
    min_score: score,
    files_indexed: count,
    before: count,
    after: count,
  }),
  timings: z.strictObject({
    query_analysis_ms: z.number(),
    cache_check_ms: z.literal(0),
    embedding_ms: z.number(),
    vector_search_ms: z.number(),
    keyword_search_ms: z.number(),
    rrf_fusion_ms: z.number(),
    definition_boost_ms: z.number(),
    total_ms: z.number(),
    freshness_ms: z.number(),
    rewrite_ms: z.number(),
  }),
  results: z.array(searchResult),
})

export const analysisOfSeveral = z.strictObject({
  index_names: z.array(text),
  results: z.array(
    z.union([analysis.extend({ index_name: text }), inBandError.extend({ index_name: text })]),
  ),
})

export const indexListed = z.strictObject({
  name: text,
  table_name: text,
  source_path: text,
  updated_at: when,
  file_count: count,
})

const top = z.array(z.strictObject({ file: text, count }))

export const indexStats = z.strictObject({
  name: text,
  file_count: count,
  chunk_count: count,
  storage_size: count,
  storage_size_pretty: text,
  created_at: when,
  updated_at: when,
  is_stale: z.boolean(),
  staleness_days: count,
  languages: z.array(
    z.strictObject({ language: text, file_count: count, chunk_count: count, line_count: count }),
  ),
  symbols: z.record(text, count),
  warnings: z.array(text),
  parse_stats: z.strictObject({
    by_language: z.record(
      text,
      z.strictObject({
        files: count,
        ok: count,
        partial: count,
        error: count,
        no_grammar: count,
        skipped: count.optional(),
        pending: count.optional(),
      }),
    ),
    parse_health_pct: z.number().min(0).max(100),
    total_files: count,
    total_ok: count,
  }),
  source_path: text,
  status: z.enum(['indexed', 'indexing', 'error']),
  indexing_elapsed_seconds: z.number(),
  repo_url: maybe,
  branch: maybe,
  commit_hash: maybe,
  commits_behind: count.nullable(),
  branch_commit_count: count.nullable(),
  grammars: z.array(
    z.strictObject({
      grammar_name: text,
      base_language: maybe,
      file_count: count,
      chunk_count: count,
      recognized_chunks: count,
      unrecognized_chunks: count,
      recognition_pct: z.number(),
    }),
  ),
  embedding_provider: maybe,
  embedding_model: maybe,
  configured_embedding_provider: maybe,
  configured_embedding_model: maybe,
  controller_enabled: z.boolean(),
  controller_provider: maybe,
  controller_model: maybe,
  dep_stats: z.strictObject({
    total_edges: count,
    by_type: z.record(text, count),
    top_sources: top,
    top_targets: top,
  }),
  parse_failures: z
    .array(
      z.strictObject({ file_path: text, language: text, parse_status: text, error_message: maybe }),
    )
    .optional(),
  grammar_failures: z
    .array(
      z.strictObject({
        file_path: text,
        grammar_name: text,
        chunk_count: count,
        unrecognized_chunks: count,
      }),
    )
    .optional(),
  excluded: z.strictObject({
    total: count,
    by_reason: z.record(text, count),
    files: z.array(z.strictObject({ path: text, reason: text, rule: text.optional() })),
  }),
})

export const indexed = z.strictObject({
  success: z.literal(true),
  index_name: text,
  path: text,
  stats: z.strictObject({ files_added: count, files_removed: count, files_updated: count }),
  dep_stats: z.strictObject({ total_edges: count }),
  linked_index_warnings: z.array(text).optional(),
  total_files: count,
  excluded: z.strictObject({ total: count, by_reason: z.record(text, count) }),
  embedding: z
    .strictObject({ provider: text, model: text, ok: z.boolean(), error: text.optional() })
    .optional(),
})

export const failed = z.strictObject({ success: z.literal(false), error: text })

export const cleared = z.strictObject({
  success: z.literal(true),
  message: text,
  linked_index_warnings: z.array(text).optional(),
})

export const clearedSeveral = z.strictObject({
  success: z.boolean(),
  deleted: count,
  total: count,
  results: z.array(
    z.strictObject({ index_name: text, success: z.boolean(), error: text.optional() }),
  ),
})
