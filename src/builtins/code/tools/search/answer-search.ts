import { PROJECT_FILE } from '../../cocosearch-names.ts'
import { messageOf } from '../../../../base/errors.ts'
import type { ServiceContext } from '../../../../protocol/service.ts'
import { grep } from '../../engine/search/grep.ts'
import { toLinePattern } from '../../engine/search/line-pattern.ts'
import {
  type CodeResult,
  searchCode,
  searchHybrid,
  toResult,
} from '../../engine/search/search-code.ts'
import type { CodeConfig } from '../../project/code-config.ts'
import type { CodeNote, SearchItem } from '../../answers.ts'
import { inBandList } from '../answer.ts'
import type { CodeDeps } from '../code-deps.ts'
import { embedIndex } from '../indexing/embed-index.ts'
import { type FoundIndex, findIndex } from '../indexing/find-index.ts'
import { type FittedResults, estimateTokens, fitTokens } from './fit-tokens.ts'
import { freshen } from '../indexing/freshness.ts'
import { joinResults } from './join-results.ts'
import { InBandError } from '../in-band-error.ts'

/**
 * The validated parameters of `search_code`, separate from their schema, which a one-shot command
 * need not load.
 */
export interface SearchInput {
  readonly query: string
  /** Other wordings of a ranked search. */
  readonly also?: readonly string[] | undefined
  readonly index_name: string | null
  readonly index_names: readonly string[] | null
  /** If absent or null, the project's settings decide. */
  readonly limit?: number | null | undefined
  readonly language: string | null
  readonly symbol_type: string | readonly string[] | null
  readonly symbol_name: string | null
  readonly context_before: number | null
  readonly context_after: number | null
  readonly smart_context: boolean
  readonly include_deps: boolean
  readonly mode: 'ranked' | 'exact' | 'regex'
  readonly min_score: number | null
  readonly max_tokens: number | null
  readonly use_hybrid_search: boolean | null
  readonly rewrite_query: boolean
}

export async function answerSearch(
  input: SearchInput,
  deps: CodeDeps,
  context: ServiceContext,
): Promise<SearchItem[]> {
  return inBandList(async () =>
    input.index_names?.length
      ? searchSeveral(input, { names: input.index_names }, deps, context)
      : searchOne(input, deps, context),
  )
}

async function searchOne(
  input: SearchInput,
  deps: CodeDeps,
  service: ServiceContext,
): Promise<SearchItem[]> {
  const found = await findIndex(deps, service, input.index_name)
  const warnings = await freshen(deps, found)
  const linked = found.source === undefined ? [] : found.config.linkedIndexes
  if (linked.length > 0)
    return searchSeveral(input, { names: [found.name, ...linked], linked }, deps, service)
  const { asked, note } = await settle(input, found.config, deps)
  const { results, notes } = await resultsOf(asked, found, deps)
  const context = {
    type: 'search_context',
    searching: found.live.index.project.root,
    index_name: found.name,
    last_indexed_at: found.live.index.identity.updatedAt,
    ...(found.source !== undefined && { project_source: found.source }),
  }
  const last = [...sourceHint(found), ...warnings, ...configWarning(found.config)]
  const { kept, hint } = fit(results, input, [context, ...note, ...notes, ...last])
  return [context, ...note, ...kept, ...notes, ...hint, ...last]
}

async function searchSeveral(
  input: SearchInput,
  {
    names,
    linked = [],
  }: { readonly names: readonly string[]; readonly linked?: readonly string[] },
  deps: CodeDeps,
  context: ServiceContext,
): Promise<SearchItem[]> {
  const found: FoundIndex[] = []
  const skipped: string[] = []
  for (const name of new Set(names)) {
    if (deps.library.has(name)) found.push(await findIndex(deps, context, name))
    else skipped.push(name)
  }
  const [first] = found
  if (!first) {
    throw new InBandError(
      'Cross-index search error',
      `None of these indexes exists: ${names.join(', ')}. Use list_indexes to see those that do.`,
      { results: [] },
    )
  }
  const { asked, note } = await settle(input, first.config, deps)
  const warnings: CodeNote[] = []
  const merged: CodeResult[] = []
  const notes: CodeNote[] = []
  for (const each of found) {
    warnings.push(...(await freshen(deps, each)))
    const answer = await resultsOf({ ...asked, limit: 2 * asked.limit }, each, deps)
    notes.push(...answer.notes)
    merged.push(...answer.results.map((result) => ({ ...result, index_name: each.name })))
  }
  const best = merged.toSorted((a, b) => b.score - a.score).slice(0, asked.limit)
  const opening = [
    {
      type: 'search_context',
      searching: 'cross-index',
      index_names: found.map(({ name }) => name),
      ...(linked.length > 0 && { linked_indexes: linked }),
      ...(skipped.length > 0 && { skipped_indexes: skipped }),
    },
    ...note,
    ...(warnings.length > 0 ? [{ type: 'staleness_warnings', warnings }] : []),
  ]
  const { kept, hint } = fit(best, input, [...opening, ...notes])
  return [...opening, ...kept, ...notes, ...hint]
}

interface Settled {
  readonly asked: SettledInput
  readonly note: readonly CodeNote[]
}

type SettledInput = SearchInput & { readonly limit: number; readonly min_score: number }

/** Fills in the project's settings, and lets the controller rewrite the query if one is enabled. */
async function settle(input: SearchInput, config: CodeConfig, { env }: CodeDeps): Promise<Settled> {
  const { search, controller } = config
  const asked = {
    ...input,
    limit: input.limit ?? search.resultLimit,
    min_score: input.min_score ?? search.minScore,
  }
  // The query of an exact search is never rewritten.
  if (!input.rewrite_query || input.mode !== 'ranked' || !controller.enabled)
    return { asked, note: [] }
  const { rewriteQuery } = await import('../../project/rewrite-query.ts')
  const { query, isChanged, problem } = await rewriteQuery(input.query, config, env)
  if (problem !== undefined)
    return { asked, note: [{ type: 'query_rewrite_failed', message: problem }] }
  if (!isChanged) return { asked, note: [] }
  return {
    asked: { ...asked, query },
    note: [{ type: 'query_rewrite', original: input.query, rewritten: query }],
  }
}

interface Hits {
  readonly results: readonly CodeResult[]
  readonly notes: readonly CodeNote[]
}

async function resultsOf(input: SettledInput, found: FoundIndex, deps: CodeDeps): Promise<Hits> {
  if (input.mode !== 'ranked') return exactResults(input, found)
  const { also = [], limit } = input
  const first = await rankedResults(input, found, deps)
  if (also.length === 0) return first
  const answers = [first]
  for (const query of also) answers.push(await rankedResults({ ...input, query }, found, deps))
  const results = joinResults(
    answers.map((answer) => answer.results),
    limit,
  )
  // Each wording has the same notes, except that it found nothing.
  const { notes } = answers.find((answer) => answer.results.length > 0) ?? first
  return { results, notes }
}

async function rankedResults(
  input: SettledInput,
  found: FoundIndex,
  deps: CodeDeps,
): Promise<Hits> {
  const { index } = found.live
  const request = {
    ...filterOf(input),
    query: input.query,
    limit: input.limit,
    minScore: input.min_score,
    contextBefore: input.context_before,
    contextAfter: input.context_after,
    smartContext: input.smart_context,
    includeDeps: input.include_deps,
  }
  const vectorsOnly = input.use_hybrid_search === false
  const notes: CodeNote[] = deps.modelProblem === undefined ? [] : [wordsOnly(deps.modelProblem)]
  let results: readonly CodeResult[] | undefined
  try {
    const vectors = await embedIndex(deps, found)
    if (vectors) results = await searchHybrid(index, vectors, { ...request, vectorsOnly })
  } catch (error) {
    notes.push(embedderProblem(error, vectorsOnly))
  }
  results ??= searchCode(index, request)
  return {
    results,
    notes: results.length > 0 ? notes : [...notes, nothingFound(input, index.files.size)],
  }
}

/** Without its embedder, a search uses words alone and says so; a search by vectors alone fails. */
function embedderProblem(error: unknown, vectorsOnly: boolean): CodeNote {
  const message = messageOf(error)
  if (vectorsOnly) throw new InBandError('Embedding error', message, { results: [] }, error)
  return wordsOnly(message)
}

function wordsOnly(message: string): CodeNote {
  return { type: 'embedding_unavailable', warning: 'Searched by words only', message }
}

async function exactResults(input: SettledInput, { live }: FoundIndex): Promise<Hits> {
  const { hits, isComplete, slowFile } = await grep(live.index, {
    ...filterOf(input),
    ...toLinePattern(input.query, input.mode === 'regex'),
    limit: input.limit,
  })
  const texts = new Map<string, readonly string[]>()
  const results = hits.flatMap((hit) => {
    const text = texts.get(hit.path) ?? live.index.text(hit.path)?.split(/\r?\n/) ?? []
    texts.set(hit.path, text)
    return toResult(live.index, hit, text) ?? []
  })
  const message =
    slowFile === undefined
      ? `There may be more matches: raise limit above ${input.limit} or narrow the pattern.`
      : `The search stopped at ${slowFile}, on which the pattern took too long. Simplify it, for example avoid nested repetition.`
  return { results, notes: isComplete ? [] : [{ type: 'hint', message }] }
}

function filterOf({ language, symbol_type: symbolType, symbol_name: symbolName }: SearchInput) {
  return { language, symbolType, symbolName }
}

/** Explains why an answer is empty. */
function nothingFound(input: SettledInput, fileCount: number): CodeNote {
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

/** Fits the results into what the rest of the answer leaves of max_tokens, and says so. */
function fit(
  results: readonly CodeResult[],
  { max_tokens: maxTokens }: SearchInput,
  rest: readonly CodeNote[],
): Pick<FittedResults, 'kept'> & { readonly hint: readonly CodeNote[] } {
  const whole = { kept: results, hint: [] }
  if (maxTokens === null) return whole
  const room = maxTokens - estimateTokens(rest)
  if (estimateTokens(results) <= room) return whole
  const hintTokens = estimateTokens(fitHint(results.length, results.length))
  const { kept, stubs, leftOut } = fitTokens(results, room - hintTokens)
  return { kept, hint: [fitHint(stubs, leftOut)] }
}

function fitHint(stubs: number, leftOut: number): CodeNote {
  const said = [
    stubs > 0 && `${stubs} results are shown as one line each`,
    leftOut > 0 && `${leftOut} more results were left out`,
  ].filter((text) => typeof text === 'string')
  const what = said.length > 0 ? said.join(' and ') : 'some texts, or what surrounds them, were cut'
  const message = `To fit max_tokens, ${what}. Raise max_tokens, or read the lines you need.`
  return { type: 'hint', message }
}

function configWarning({ warnings }: CodeConfig): CodeNote[] {
  if (warnings.length === 0) return []
  const warning = `Settings of ${PROJECT_FILE} are ignored`
  return [{ type: 'config_warning', warning, message: warnings.join(' ') }]
}

/** How the message begins that tells agents how the project was found. */
const GUESSED = 'The project was chosen'

function sourceHint({ source }: FoundIndex): CodeNote[] {
  if (source !== 'env' && source !== 'cwd') return []
  return [
    {
      type: 'hint',
      message: `${GUESSED} ${source === 'env' ? 'by a variable of the environment' : 'by the folder that the server was started in'}. A client with MCP Roots names its own.`,
    },
  ]
}
