import { z } from 'zod'
import { defineTool } from '../../kit/define-tool.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import { grep, toPattern } from '../engine/grep.ts'
import { type CodeResult, searchCode, toResult } from '../engine/search-code.ts'
import { answeringList } from './answer.ts'
import type { CodeDeps } from './code-deps.ts'
import { type FoundIndex, findIndex } from './find-index.ts'
import { fitTokens } from './fit-tokens.ts'
import { freshen } from './freshness.ts'
import { InBandError } from './in-band-error.ts'
import {
  READ_ONLY,
  indexName,
  indexNames,
  language,
  limit,
  maxTokens,
  query,
  symbolName,
  symbolType,
  useHybridSearch,
} from './inputs.ts'

const lines = z.int().nonnegative().max(500).nullable().default(null)

const INPUT = z.object({
  query: query.describe(
    'What you look for: words, a question, a symbol; or the text or pattern of an exact search',
  ),
  index_name: indexName,
  limit,
  language,
  use_hybrid_search: useHybridSearch,
  symbol_type: symbolType,
  symbol_name: symbolName,
  context_before: lines.describe('Lines to show before each result instead of the smart context'),
  context_after: lines.describe('Lines to show after each result instead of the smart context'),
  smart_context: z
    .boolean()
    .default(true)
    .describe('Show the function or class around each result'),
  include_deps: z
    .boolean()
    .default(true)
    .describe('With each result, what its file imports and what imports it'),
  index_names: indexNames,
  rewrite_query: z
    .boolean()
    .default(true)
    .describe('Let the query-rewrite controller improve the query, where one is enabled'),
  mode: z
    .enum(['ranked', 'exact', 'regex'])
    .default('ranked')
    .describe(
      'ranked: best matches by meaning of the words; exact: every line with this text; regex: every line that matches',
    ),
  min_score: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Leave out results that score less, 0..1'),
  max_tokens: maxTokens,
})

type Input = z.output<typeof INPUT>

export const searchCodeTool = defineTool({
  name: 'search_code',
  title: 'Search code',
  description:
    'Search the code of the project by words, questions or symbol names. Better than Grep or Glob to find where something is done: results are ranked, show the definition they belong to and what it depends on, and are the text as it is on disk now, so there is no need to open the file again. mode=exact or regex finds every line with a text. The index keeps itself up to date.',
  input: INPUT,
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answeringList(async () =>
      input.index_names?.length
        ? searchSeveral(input, input.index_names, deps, context)
        : searchOne(input, deps, context),
    ),
})

async function searchOne(
  input: Input,
  deps: CodeDeps,
  context: ServiceContext,
): Promise<unknown[]> {
  const found = await findIndex(deps, context, input.index_name)
  const warnings = await freshen(deps, found)
  const linked = found.source === undefined ? [] : found.config.linkedIndexes
  if (linked.length > 0) return searchSeveral(input, [found.name, ...linked], deps, context)
  const { results, notes } = await resultsOf(input, found)
  const { kept, leftOut } = fitTokens(results, input.max_tokens)
  return [
    {
      type: 'search_context',
      searching: found.live.index.project.root,
      index_name: found.name,
      last_indexed_at: found.live.index.identity.updatedAt,
    },
    ...kept,
    ...notes,
    ...leftOutNote(leftOut),
    ...sourceHint(found),
    ...warnings,
  ]
}

async function searchSeveral(
  input: Input,
  names: readonly string[],
  deps: CodeDeps,
  context: ServiceContext,
): Promise<unknown[]> {
  const found: FoundIndex[] = []
  const skipped: string[] = []
  for (const name of new Set(names)) {
    if (deps.library.store.summary(name)) found.push(await findIndex(deps, context, name))
    else skipped.push(name)
  }
  if (found.length === 0) {
    throw new InBandError(
      'Cross-index search error',
      `None of these indexes exists: ${names.join(', ')}. Use list_indexes to see those that do.`,
      { results: [] },
    )
  }
  const warnings: unknown[] = []
  const merged: CodeResult[] = []
  const notes: unknown[] = []
  for (const each of found) {
    warnings.push(...(await freshen(deps, each)))
    const answer = await resultsOf({ ...input, limit: 2 * input.limit }, each)
    notes.push(...answer.notes)
    merged.push(...answer.results.map((result) => ({ ...result, index_name: each.name })))
  }
  const best = merged.toSorted((a, b) => b.score - a.score).slice(0, input.limit)
  const { kept, leftOut } = fitTokens(best, input.max_tokens)
  return [
    {
      type: 'search_context',
      searching: 'cross-index',
      index_names: found.map(({ name }) => name),
      ...(skipped.length > 0 && { skipped_indexes: skipped }),
    },
    ...(warnings.length > 0 ? [{ type: 'staleness_warnings', warnings }] : []),
    ...kept,
    ...notes,
    ...leftOutNote(leftOut),
  ]
}

async function resultsOf(
  input: Input,
  { live }: FoundIndex,
): Promise<{ results: CodeResult[]; notes: unknown[] }> {
  const filter = {
    language: input.language,
    symbolType: input.symbol_type,
    symbolName: input.symbol_name,
  }
  if (input.mode === 'ranked') {
    const results = searchCode(live.index, {
      ...filter,
      query: input.query,
      limit: input.limit,
      minScore: input.min_score,
      contextBefore: input.context_before,
      contextAfter: input.context_after,
      smartContext: input.smart_context,
      includeDeps: input.include_deps,
    })
    return {
      results,
      notes: results.length > 0 ? [] : [nothingFound(input, live.index.files.size)],
    }
  }
  const { hits, isComplete } = await grep(live.index, {
    ...filter,
    ...toPattern(input.query, input.mode === 'regex'),
    limit: input.limit,
  })
  const texts = new Map<string, readonly string[]>()
  const results = hits.flatMap((hit) => {
    const text = texts.get(hit.path) ?? live.index.text(hit.path)?.split(/\r?\n/) ?? []
    texts.set(hit.path, text)
    return toResult(live.index, hit, text) ?? []
  })
  const more = {
    type: 'hint',
    message: `There may be more matches: raise limit above ${input.limit} or narrow the pattern.`,
  }
  return { results, notes: isComplete ? [] : [more] }
}

/** An empty answer says why it is empty. */
function nothingFound(input: Input, fileCount: number): unknown {
  const filters = [
    input.language && `language=${input.language}`,
    input.symbol_type && `symbol_type=${String(input.symbol_type)}`,
    input.symbol_name && `symbol_name=${input.symbol_name}`,
    input.min_score > 0 && `min_score=${input.min_score}`,
  ].filter((text) => typeof text === 'string')
  const advice =
    filters.length > 0
      ? `Try without ${filters.join(', ')}.`
      : 'Try other words, or mode=regex for an exact text.'
  return { type: 'hint', message: `Nothing in the ${fileCount} indexed files matches. ${advice}` }
}

function leftOutNote(count: number): unknown[] {
  return count === 0
    ? []
    : [{ type: 'hint', message: `${count} more results were left out to fit max_tokens.` }]
}

export function sourceHint({ source }: FoundIndex): unknown[] {
  if (source !== 'env' && source !== 'cwd') return []
  return [
    {
      type: 'hint',
      message: 'Tip: Use Claude Code for automatic project detection via MCP Roots.',
    },
  ]
}
