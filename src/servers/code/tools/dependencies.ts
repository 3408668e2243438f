import { z } from 'zod'
import { defineTool } from '../../kit/define-tool.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import { toDependency } from '../engine/search-code.ts'
import { MAX_DEPTH, type TreeNode, walkGraph } from '../graph/walk-graph.ts'
import { closest } from '../project/closest.ts'
import { answeringObject } from './answer.ts'
import type { CodeDeps } from './code-deps.ts'
import { findIndex } from './find-index.ts'
import { freshen } from './freshness.ts'
import { InBandError } from './in-band-error.ts'
import { READ_ONLY, depType, file, files, indexName } from './inputs.ts'
import type { ProjectIndex } from '../engine/project-index.ts'

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
    answering(deps, context, input.index_name, (index) =>
      dependenciesOf(index, known(index, input.file), input, new Set()),
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
    answering(deps, context, input.index_name, (index) =>
      impactOf(index, known(index, input.file), input, new Set()),
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
    answering(deps, context, input.index_name, (index) => batch(index, input, dependenciesOf)),
})

export const batchImpactTool = defineTool({
  name: 'get_batch_impact',
  title: 'What a change of several files affects',
  description:
    'As get_file_impact, for many files at once, for example those of a diff; what they share is followed once.',
  input: z.object({ files, index_name: indexName, depth: depth.default(3), dep_type: depType }),
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answering(deps, context, input.index_name, (index) => batch(index, input, impactOf)),
})

interface Request {
  readonly depth: number
  readonly dep_type: string | null
}

type Answer = (
  index: ProjectIndex,
  path: string,
  request: Request,
  visited: Set<string>,
) => Record<string, unknown>

const dependenciesOf: Answer = (index, path, request, visited) => {
  const steps = Math.min(request.depth, MAX_DEPTH)
  if (steps > 1)
    return { file: path, depth: steps, tree: treeOf(index, path, request, 'dependencies', visited) }
  const edges = index.graph
    .dependencies(path)
    .filter((edge) => !request.dep_type || edge.type === request.dep_type)
  return { file: path, depth: 1, dependencies: edges.map(toDependency), total: edges.length }
}

const impactOf: Answer = (index, path, request, visited) => ({
  file: path,
  depth: Math.min(request.depth, MAX_DEPTH),
  impact_tree: treeOf(index, path, request, 'dependents', visited),
})

// oxlint-disable-next-line max-params -- the four of an answer and the direction
function treeOf(
  index: ProjectIndex,
  path: string,
  request: Request,
  direction: 'dependencies' | 'dependents',
  visited: Set<string>,
): TreeNode {
  return walkGraph(index.graph, path, {
    direction,
    depth: request.depth,
    type: request.dep_type ?? undefined,
    visited,
  })
}

function batch(
  index: ProjectIndex,
  input: Request & { readonly files: readonly string[] },
  answer: Answer,
): Record<string, unknown> {
  const visited = new Set<string>()
  const results = input.files.map((path) => {
    try {
      return answer(index, known(index, path), input, visited)
    } catch (error) {
      if (error instanceof InBandError) return { file: path, error: error.message }
      throw error
    }
  })
  return { files_requested: input.files.length, depth: Math.min(input.depth, MAX_DEPTH), results }
}

async function answering(
  deps: CodeDeps,
  context: ServiceContext,
  name: string | null,
  answer: (index: ProjectIndex) => Record<string, unknown>,
) {
  return answeringObject(async () => {
    const found = await findIndex(deps, context, name)
    const warnings = (await freshen(deps, found)).map((warning) => ({
      ...warning,
      type: 'deps_outdated',
    }))
    return { ...answer(found.live.index), ...(warnings.length > 0 && { warnings }) }
  })
}

/** The path as the index has it; a slip in it is answered with the nearest there is. */
function known(index: ProjectIndex, path: string): string {
  const tidy = path.replaceAll('\\', '/').replace(/^\.\//, '')
  const relative = tidy.startsWith(`${index.project.root}/`)
    ? tidy.slice(index.project.root.length + 1)
    : tidy
  if (index.files.has(relative)) return relative
  const name = relative.slice(relative.lastIndexOf('/') + 1)
  const same = [...index.files.keys()].filter(
    (candidate) => candidate.endsWith(`/${name}`) || candidate === name,
  )
  const near =
    same.length > 0 ? same.slice(0, 5).join(', ') : closest(relative, [...index.files.keys()])
  const excluded = index.excluded.find((entry) => entry.path === relative)
  const why = excluded
    ? ` It was left out: ${excluded.reason}${excluded.rule === undefined ? '' : ` (${excluded.rule})`}.`
    : ''
  throw new InBandError(
    'File not found',
    `'${path}' is not in the index.${why}${near === undefined ? '' : ` Did you mean ${near}?`}`,
  )
}
