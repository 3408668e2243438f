import { PROJECT_FILE } from '../../cocosearch-names.ts'
import { nearest } from '../../../../base/text/nearest.ts'
import { shellWord } from '../../../../base/text/shell-word.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../../../base/errors.ts'
import type { Project, ServiceContext } from '../../../../protocol/service.ts'
import { DEFAULT_SETTINGS, type IndexSettings } from '../../engine/index/index-settings.ts'
import type { IndexStore, IndexSummary } from '../../engine/index/index-store.ts'
import type { LiveIndex } from '../../engine/index/live-index.ts'
import type { CodeConfig } from '../../project/code-config.ts'
import {
  type FoundProject,
  findProject,
  indexNameOf,
  indexNames,
} from '../../project/find-project.ts'
import { autoIndex } from './auto-index.ts'
import type { CodeDeps } from '../code-deps.ts'
import { InBandError } from '../in-band-error.ts'

export interface FoundIndex {
  readonly live: LiveIndex
  readonly name: string
  readonly config: CodeConfig
  /** How the project was found; undefined when the caller named the index. */
  readonly source: Project['source'] | undefined
}

/** Finds the index of a call: the one it names, else that of the project the agent works in. */
export async function findIndex(
  deps: CodeDeps,
  context: ServiceContext,
  indexName: string | null | undefined,
): Promise<FoundIndex> {
  return indexName ? namedIndex(deps, indexName) : detectedIndex(deps, context)
}

async function namedIndex(deps: CodeDeps, name: string): Promise<FoundIndex> {
  const partial = deps.library.partial(name)
  if (partial) return asFound(partial, name, deps)
  const summary = deps.library.store.summary(name)
  if (!summary) throw missing(deps, name)
  if (!existsSync(summary.root)) {
    throw new InBandError(
      'Index not found',
      `The project of index '${name}' is gone: ${summary.root} does not exist. Use clear_index to remove it.`,
      { results: [] },
    )
  }
  const live = await deps.library.get(name)
  if (!live) throw missing(deps, name)
  return asFound(live, name, deps)
}

async function asFound(live: LiveIndex, name: string, deps: CodeDeps): Promise<FoundIndex> {
  return { live, name, config: await configOf(live.index.project, deps), source: undefined }
}

function missing(deps: CodeDeps, name: string): InBandError {
  const names = deps.library.store.list().map((index) => index.name)
  const advice = "Index a codebase first using index_codebase(path='.')"
  if (names.length === 0)
    return new InBandError('Database not initialized', advice, { results: [] })
  const [meant] = nearest(name, names)
  return new InBandError(
    'Index not found',
    `Index '${name}' not found. ${meant === undefined ? '' : `Did you mean '${meant}'? `}Known indexes: ${names.join(', ')}. ${advice}`,
    { results: [] },
  )
}

async function detectedIndex(deps: CodeDeps, context: ServiceContext): Promise<FoundIndex> {
  const { project, source } = await detectProject(context)
  const config = await configOf(project, deps)
  const name = indexNameFor(project, config, deps.library.store)
  const partial = deps.library.partial(name)
  if (partial) return { live: partial, name, config, source }
  const summary = deps.library.store.summary(name)
  if (!summary) return autoIndexed(deps, context, { project, config, name, source })
  if (summary.identity !== project.identity) {
    throw new InBandError(
      'Index name collision',
      `Index '${name}' is already mapped to a different project:\n  Stored: ${summary.identity}\n  Current: ${project.identity}\n\nTo resolve:\n  1. Set explicit indexName in ${PROJECT_FILE}, or\n  2. Specify index_name parameter explicitly`,
      { results: [] },
    )
  }
  const live = await deps.library.get(name, project)
  if (!live) throw notIndexed(project, name)
  return { live, name, config, source }
}

async function detectProject(
  context: ServiceContext,
): Promise<{ project: FoundProject; source: Project['source'] }> {
  try {
    const { path, source } = await context.project()
    return { project: findProject(path), source }
  } catch (error) {
    const reason = messageOf(error)
    const details = { results: [] }
    throw new InBandError(
      'Could not auto-detect index. Provide index_name.',
      reason,
      details,
      error,
    )
  }
}

interface DetectedProject {
  readonly project: FoundProject
  readonly config: CodeConfig
  readonly name: string
  readonly source: Project['source']
}

async function autoIndexed(
  deps: CodeDeps,
  context: ServiceContext,
  detected: DetectedProject,
): Promise<FoundIndex> {
  const { project, config, name, source } = detected
  const live = await autoIndex(deps, context, { project, name, settings: settingsOf(config) })
  if (!live) throw notIndexed(project, name)
  return { live, name, config, source }
}

function notIndexed({ root }: FoundProject, name: string): InBandError {
  return new InBandError(
    'Index not found',
    `Project detected at ${root} but not indexed. Index this project first using:\n  CLI: portolan code index ${shellWord(root)}\n  MCP: index_codebase(path='${root}')`,
    { detected_path: root, suggested_index_name: name, results: [] },
  )
}

/**
 * Returns the name that the project's index has or would get: the configured one, else one that no
 * other project's index has. A worktree has its own files, so it has its own index in either case.
 */
export function indexNameFor(
  project: FoundProject,
  { indexName }: CodeConfig,
  store: IndexStore,
): string {
  const { root, git } = project
  const isWorktree = git?.isWorktree && git.root === root
  if (indexName !== undefined && !isWorktree) return indexName
  const { plain, unique, suggested } =
    indexName === undefined ? project.names : indexNames([indexName, indexNameOf(root)], root)
  const existing = [plain, unique].find((name) => isIndexOf(project, store.summary(name)))
  return existing ?? (store.summary(suggested) ? unique : suggested)
}

/** A worktree that was moved keeps its index. */
function isIndexOf(project: FoundProject, summary: IndexSummary | undefined): boolean {
  if (summary?.identity !== project.identity) return false
  return summary.root === project.root || !existsSync(summary.root)
}

/** Loads a project's settings, and their schema only if there is a file or variable to check. */
export async function configOf(
  project: FoundProject,
  deps: Pick<CodeDeps, 'env'>,
): Promise<CodeConfig> {
  const folders = [project.root, ...(project.git ? [project.git.root] : [])]
  const isSet = Object.keys(deps.env).some((name) => name.startsWith('PORTOLAN_CODE_'))
  if (!isSet && !folders.some((folder) => existsSync(join(folder, PROJECT_FILE))))
    return DEFAULT_CONFIG
  const { CodeConfigError, loadCodeConfig } = await import('../../project/code-config.ts')
  try {
    return loadCodeConfig(folders, deps.env)
  } catch (error) {
    if (!(error instanceof CodeConfigError)) throw error
    throw new InBandError('Configuration error', error.message, { results: [] }, error)
  }
}

const DEFAULT_CONFIG: CodeConfig = {
  linkedIndexes: [],
  indexing: { includePatterns: [], excludePatterns: [] },
  search: { resultLimit: 10, minScore: 0 },
  embedding: {},
  controller: { enabled: false, timeout: 5 },
  warnings: [],
}

export function settingsOf(
  { indexing }: CodeConfig,
  more: Partial<IndexSettings> = {},
): IndexSettings {
  const { includePatterns, excludePatterns, chunkSize, chunkOverlap } = indexing
  return {
    ...(includePatterns.length > 0 && { include: includePatterns }),
    ...(excludePatterns.length > 0 && { exclude: excludePatterns }),
    ...more,
    chunks: {
      size: chunkSize ?? DEFAULT_SETTINGS.chunks.size,
      ...(chunkOverlap !== undefined && { overlap: chunkOverlap }),
    },
  }
}
