import { nearest } from '../../../base/text/nearest.ts'
import { z } from 'zod'
import { defineTool } from '../../kit/define-tool.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import { toDependency } from '../engine/search/search-code.ts'
import { callsFrom, callsInto } from '../engine/references/call-edges.ts'
import type { FileRecord } from '../engine/index/file-record.ts'
import type { LiveIndex } from '../engine/index/live-index.ts'
import type { ProjectIndex } from '../engine/index/project-index.ts'
import { isExtracted } from '../graph/extract/extract-imports.ts'
import { type Direction, type EdgesOf, MAX_DEPTH, walkGraph } from '../graph/walk-graph.ts'
import { answeringObject } from './answer.ts'
import type { CodeDeps } from './code-deps.ts'
import { findIndex } from './indexing/find-index.ts'
import { freshen } from './indexing/freshness.ts'
import { InBandError } from './in-band-error.ts'
import { READ_ONLY, depType, file, files, indexName } from './inputs.ts'

const depth = z
  .int()
  .positive()
  .describe(`How many steps to follow, at most ${MAX_DEPTH}; 1 is the file's own`)

export const fileDependenciesTool = defineTool({
  name: 'get_file_dependencies',
  title: 'What a file depends on',
  description:
    'The files and packages a file imports or refers to, resolved as its language does. depth=1 lists the direct ones; more gives the tree.',
  input: z.object({ file, index_name: indexName, depth: depth.default(1), dep_type: depType }),
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answering(deps, context, input, async (live) =>
      dependenciesOf(live, known(live.index, input.file), input, new Set()),
    ),
})

export const fileImpactTool = defineTool({
  name: 'get_file_impact',
  title: 'What a change of a file affects',
  description:
    'The files that depend on a file, directly and through others: what a change may break.',
  input: z.object({ file, index_name: indexName, depth: depth.default(3), dep_type: depType }),
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answering(deps, context, input, async (live) =>
      impactOf(live, known(live.index, input.file), input, new Set()),
    ),
})

export const batchDependenciesTool = defineTool({
  name: 'get_batch_dependencies',
  title: 'What several files depend on',
  description:
    'As get_file_dependencies, for many files at once, for example those of a diff; what they share is followed once.',
  input: z.object({ files, index_name: indexName, depth: depth.default(1), dep_type: depType }),
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answering(deps, context, input, async (live) => batch(live, input, dependenciesOf)),
})

export const batchImpactTool = defineTool({
  name: 'get_batch_impact',
  title: 'What a change of several files affects',
  description:
    'As get_file_impact, for many files at once, for example those of a diff; what they share is followed once.',
  input: z.object({ files, index_name: indexName, depth: depth.default(3), dep_type: depType }),
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answering(deps, context, input, async (live) => batch(live, input, impactOf)),
})

interface Request {
  readonly depth: number
  readonly dep_type: string | null
}

type Answer = (
  live: LiveIndex,
  path: string,
  request: Request,
  visited: Set<string>,
) => Promise<Record<string, unknown>>

const dependenciesOf: Answer = async (live, path, request, visited) => {
  const how = { direction: 'dependencies', depth: stepsOf(request), visited } as const
  const edgesOf = toEdgesOf(live, how.direction, request.dep_type)
  if (how.depth > 1)
    return { file: path, depth: how.depth, tree: await walkGraph(edgesOf, path, how) }
  const edges = await edgesOf(path)
  return {
    file: path,
    depth: 1,
    dependencies: edges.map((edge) => ({
      ...toDependency(edge),
      metadata: { kind: edge.kind, line: edge.line },
    })),
    total: edges.length,
  }
}

const impactOf: Answer = async (live, path, request, visited) => {
  const how = { direction: 'dependents', depth: stepsOf(request), visited } as const
  const edgesOf = toEdgesOf(live, how.direction, request.dep_type)
  return { file: path, depth: how.depth, impact_tree: await walkGraph(edgesOf, path, how) }
}

const stepsOf = (request: Request): number => Math.min(request.depth, MAX_DEPTH)

/** Calls are found in the syntax on request; all other edges are in the graph. */
function toEdgesOf(live: LiveIndex, direction: Direction, type: string | null): EdgesOf {
  const { index } = live
  if (type === 'call') {
    const calls = direction === 'dependencies' ? callsFrom : callsInto
    return async (path) => calls(index, live.parser, path)
  }
  if (type !== null && type !== 'import' && type !== 'reference')
    throw new InBandError(
      `Unknown dep_type '${type}'. Use import, call or reference.`,
      'Leave dep_type out for imports and references together.',
    )
  return (path) => index.graph[direction](path).filter((edge) => !type || edge.type === type)
}

async function batch(
  live: LiveIndex,
  input: Request & { readonly files: readonly string[] },
  answer: Answer,
): Promise<Record<string, unknown>> {
  const visited = new Set<string>()
  const results: Record<string, unknown>[] = []
  for (const path of input.files) {
    try {
      results.push(await answer(live, known(live.index, path), input, visited))
    } catch (error) {
      if (!(error instanceof InBandError)) throw error
      results.push({ file: path, error: error.message })
    }
  }
  return { files_requested: input.files.length, depth: stepsOf(input), results }
}

interface FileQuestion {
  readonly index_name: string | null
  readonly file?: string
  readonly files?: readonly string[]
}

async function answering(
  deps: CodeDeps,
  context: ServiceContext,
  asked: FileQuestion,
  answer: (live: LiveIndex) => Promise<Record<string, unknown>>,
) {
  return answeringObject(async () => {
    const found = await findIndex(deps, context, asked.index_name)
    const stale = await freshen(deps, found)
    const body = await answer(found.live)
    const warnings = [
      ...notExtracted(found.live.index, asked.files ?? [asked.file ?? '']),
      ...stale.flatMap(toDepsWarning),
    ]
    return { ...body, ...(warnings.length > 0 && { warnings }) }
  })
}

/** Turns a freshness warning about an index into one about its dependencies. */
function toDepsWarning({ type, message }: Record<string, unknown>): Record<string, unknown>[] {
  if (type === 'branch_staleness_warning')
    return [{ type: 'deps_branch_drift', warning: 'Dependencies of another branch', message }]
  if (type === 'staleness_warning')
    return [{ type: 'deps_outdated', warning: 'Dependencies may be outdated', message }]
  return []
}

/** Warns about languages whose imports are not read, instead of answering with nothing. */
function notExtracted(index: ProjectIndex, asked: readonly string[]): Record<string, unknown>[] {
  const records = asked.map((path) => index.files.get(toRelative(index, path)))
  const languages = new Set(
    records.flatMap((record) => (record && !hasImports(record) ? record.languageId : [])),
  )
  return [...languages].map((language) => ({
    type: 'deps_not_extracted',
    warning: 'Dependencies not extracted',
    message: `The imports of ${language} files are not read, so nothing is known of what they depend on. Use find_references for single names.`,
  }))
}

const hasImports = ({ language, languageId }: FileRecord): boolean =>
  isExtracted(language) || isExtracted(languageId)

function toRelative(index: ProjectIndex, path: string): string {
  const tidy = path.replaceAll('\\', '/').replace(/^\.\//, '')
  const top = `${index.project.root}/`
  return tidy.startsWith(top) ? tidy.slice(top.length) : tidy
}

/** Returns the path as indexed; throws for an unknown one and suggests the nearest. */
function known(index: ProjectIndex, path: string): string {
  const relative = toRelative(index, path)
  if (index.files.has(relative)) return relative
  const name = relative.slice(relative.lastIndexOf('/') + 1)
  const same = [...index.files.keys()].filter(
    (candidate) => candidate.endsWith(`/${name}`) || candidate === name,
  )
  // A path is longer than a name, so it may contain more typing errors.
  const limit = Math.max(2, Math.floor(relative.length * 0.4))
  const [near] =
    same.length > 0
      ? [same.slice(0, 5).join(', ')]
      : nearest(relative, index.files.keys(), { most: 1, limit })
  const excluded = index.excluded.find(relative)
  const why = excluded
    ? ` It was left out: ${excluded.reason}${excluded.rule === undefined ? '' : ` (${excluded.rule})`}.`
    : ''
  throw new InBandError(
    'File not found',
    `'${path}' is not in the index.${why} ${near === undefined ? `Give a path relative to ${index.project.root}.` : `Did you mean ${near}?`}`,
  )
}
