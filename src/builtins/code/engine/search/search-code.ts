import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeHit } from '../../../../search/code/code-file.ts'
import type { ExplainedCodeHit } from '../../../../search/code/code-index.ts'
import { parseCodeQuery } from '../../../../search/code/code-query.ts'
import { type CodeSymbol, enclosingSymbol } from '../../code-symbol.ts'
import type { QueryTerm } from '../../../../search/lexical/field.ts'
import { type WantedSymbol, factsOf } from './chunk-facts.ts'
import type { ChunkVectors } from '../index/chunk-vectors.ts'
import { matchLines } from './match-lines.ts'
import { type HybridHit, hybridHits } from './hybrid-hits.ts'
import type { ProjectIndex } from '../index/project-index.ts'
import { type SearchFilter, toAccept, toSymbolFilter } from './search-filter.ts'

export interface CodeSearchRequest extends SearchFilter {
  readonly query: string
  readonly limit: number
  readonly minScore?: number
  readonly contextBefore?: number | null | undefined
  readonly contextAfter?: number | null | undefined
  readonly smartContext?: boolean
  readonly includeDeps?: boolean
}

/** One result, with the field names of the tool contract. */
export interface CodeResult {
  readonly file_path: string
  readonly start_line: number
  readonly end_line: number
  readonly score: number
  readonly content: string
  readonly block_type: string
  readonly hierarchy: string
  readonly language_id: string
  readonly symbol_type: string | null
  readonly symbol_name: string | null
  readonly symbol_signature: string | null
  /** The first and last line of the symbol, if they are not those of the result. */
  readonly symbol_lines?: readonly [first: number, last: number]
  /** The line where the words of the query are, if that is not the first. */
  readonly match_line?: number
  readonly match_type: 'keyword' | 'semantic' | 'both'
  readonly keyword_score?: number
  readonly vector_score?: number
  readonly context_before?: string
  readonly context_after?: string
  readonly dependencies?: readonly DependencyResult[]
  readonly dependents?: readonly { readonly source_file: string; readonly dep_type: string }[]
  readonly index_name?: string
}

export interface DependencyResult {
  readonly target_file: string | null
  readonly target_symbol: string | null
  readonly dep_type: string
  readonly module: string
}

const MAX_CONTEXT_LINES = 50
const MAX_LINE = 200
const MAX_NEIGHBOURS = 25
const MAX_ROUNDS = 3

/**
 * Searches by words and shows the text as it is on disk now: a file that changed since is indexed
 * again first.
 */
export function searchCode(index: ProjectIndex, request: CodeSearchRequest): CodeResult[] {
  const accept = toAccept(index, request)
  const { limit, minScore = 0 } = request
  for (let round = 1; ; round++) {
    const hits = index.lexical
      .explain(request.query, { limit, minScore, ...(accept && { accept }) })
      .map(toHybrid)
    const changed = takeChanged(index, new Set(hits.map(({ path }) => path)))
    if (!changed || round === MAX_ROUNDS) return showHits(index, hits, request)
  }
}

/** Searches by words and by vectors. */
export async function searchHybrid(
  index: ProjectIndex,
  vectors: ChunkVectors,
  request: CodeSearchRequest & { readonly vectorsOnly: boolean },
): Promise<CodeResult[]> {
  const { query, limit, minScore = 0, vectorsOnly } = request
  const hits = await hybridHits(index, vectors, query, {
    limit,
    vectorsOnly,
    accept: toAccept(index, request),
  })
  return showHits(
    index,
    hits.filter(({ score }) => score >= minScore),
    request,
  )
}

/** A file without a word of the query was found by its meaning alone. */
function toHybrid(explained: ExplainedCodeHit): HybridHit {
  const { path, chunk, startLine, endLine, score, features } = explained
  const hit = { path, chunk, startLine, endLine, score }
  if (features.nearest <= 0) return hit
  const isWorded = features.covered > 0 || features.defines > 0
  return { ...hit, vectorScore: features.nearest, ...(isWorded && { keywordScore: hit.score }) }
}

function takeChanged(index: ProjectIndex, paths: ReadonlySet<string>): boolean {
  let changed = false
  for (const path of paths) {
    try {
      const { size, mtimeMs } = statSync(join(index.project.root, path))
      const file = { path, size, mtimeMs }
      if (index.isSuspect(file) && index.take(file) !== 'unchanged') changed = true
    } catch {
      index.drop(path)
      changed = true
    }
  }
  return changed
}

/** Turns hits into results with their text, their context and the dependencies of their file. */
export function showHits(
  index: ProjectIndex,
  hits: readonly HybridHit[],
  request: CodeSearchRequest,
): CodeResult[] {
  const texts = new Map<string, readonly string[]>()
  const linesOf = (path: string): readonly string[] => {
    const known = texts.get(path) ?? index.text(path)?.split(/\r?\n/) ?? []
    texts.set(path, known)
    return known
  }
  const { names, terms } = parseCodeQuery(request.query)
  const wanted = { accepts: toSymbolFilter(request), names, terms }
  return hits.flatMap((hit) => {
    const result = toResult(index, hit, linesOf(hit.path), wanted)
    if (!result) return []
    return {
      ...result,
      ...contextOf(index, hit, linesOf(hit.path), request),
      ...(request.includeDeps && neighboursOf(index, hit.path)),
    }
  })
}

export function toResult(
  index: ProjectIndex,
  hit: HybridHit,
  lines: readonly string[],
  wanted: Omit<WantedSymbol, 'matched'> & { readonly terms?: readonly QueryTerm[] } = {},
): CodeResult | undefined {
  const record = index.files.get(hit.path)
  if (!record) return undefined
  const text = lines.slice(hit.startLine - 1, hit.endLine)
  const found = matchLines(text, wanted.terms ?? [])
  const matched = found && ([hit.startLine + found.best, hit.startLine + found.last] as const)
  const { blockType, hierarchy, symbol } = factsOf(record, hit, { ...wanted, matched })
  return {
    file_path: hit.path,
    start_line: hit.startLine,
    end_line: hit.endLine,
    score: round(hit.score),
    content: text.join('\n'),
    block_type: blockType,
    hierarchy,
    language_id: record.languageId,
    symbol_type: symbol?.type ?? null,
    symbol_name: symbol ? hierarchy : null,
    symbol_signature: symbol?.signature ?? null,
    ...symbolLines(symbol, hit),
    ...(matched && matched[0] > hit.startLine && { match_line: matched[0] }),
    ...matchOf(hit),
  }
}

function symbolLines(
  symbol: CodeSymbol | undefined,
  { startLine, endLine }: HybridHit,
): Pick<CodeResult, 'symbol_lines'> {
  if (!symbol || (symbol.startLine === startLine && symbol.endLine === endLine)) return {}
  return { symbol_lines: [symbol.startLine, symbol.endLine] }
}

function matchOf({
  score,
  keywordScore,
  vectorScore,
}: HybridHit): Pick<CodeResult, 'match_type' | 'keyword_score' | 'vector_score'> {
  if (vectorScore === undefined)
    return { match_type: 'keyword', keyword_score: round(keywordScore ?? score) }
  if (keywordScore === undefined)
    return { match_type: 'semantic', vector_score: round(vectorScore) }
  return {
    match_type: 'both',
    keyword_score: round(keywordScore),
    vector_score: round(vectorScore),
  }
}

const round = (score: number): number => Math.round(score * 10_000) / 10_000

/**
 * Returns the lines around a result: as many as requested, or up to the ends of the definition it
 * is part of.
 */
function contextOf(
  index: ProjectIndex,
  hit: CodeHit,
  lines: readonly string[],
  request: CodeSearchRequest,
): Pick<CodeResult, 'context_before' | 'context_after'> {
  const [from, to] = contextRange(index, hit, request)
  const before = shown(lines, Math.max(1, from), hit.startLine - 1)
  const after = shown(lines, hit.endLine + 1, Math.min(lines.length, to))
  return { ...(before && { context_before: before }), ...(after && { context_after: after }) }
}

function contextRange(
  index: ProjectIndex,
  { path, startLine, endLine }: CodeHit,
  { contextBefore, contextAfter, smartContext }: CodeSearchRequest,
): [from: number, to: number] {
  if (contextBefore != null || contextAfter != null) {
    return [startLine - Math.max(0, contextBefore ?? 0), endLine + Math.max(0, contextAfter ?? 0)]
  }
  const symbols = smartContext ? (index.files.get(path)?.symbols ?? []) : []
  const first = enclosingSymbol(symbols, startLine)?.startLine ?? startLine
  const last = enclosingSymbol(symbols, endLine)?.endLine ?? endLine
  return [
    Math.max(first, startLine - MAX_CONTEXT_LINES),
    Math.min(last, endLine + MAX_CONTEXT_LINES),
  ]
}

function shown(lines: readonly string[], from: number, to: number): string {
  return lines
    .slice(from - 1, Math.max(from - 1, to))
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}...` : line))
    .join('\n')
}

function neighboursOf(
  index: ProjectIndex,
  path: string,
): Pick<CodeResult, 'dependencies' | 'dependents'> {
  return {
    dependencies: index.graph.dependencies(path).slice(0, MAX_NEIGHBOURS).map(toDependency),
    dependents: index.graph
      .dependents(path)
      .slice(0, MAX_NEIGHBOURS)
      .map(({ source, type }) => ({ source_file: source, dep_type: type })),
  }
}

export function toDependency(edge: {
  readonly target: string | null
  readonly symbol: string | null
  readonly type: string
  readonly module: string
}): DependencyResult {
  return {
    target_file: edge.target,
    target_symbol: edge.symbol,
    dep_type: edge.type,
    module: edge.module,
  }
}
