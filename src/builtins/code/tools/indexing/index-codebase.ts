import { PROJECT_FILE } from '../../cocosearch-names.ts'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../../../../base/errors.ts'
import { withTimeout } from '../../../../base/flow/time.ts'
import type { ServiceContext } from '../../../../protocol/service.ts'
import { defineTool } from '../../../kit/define-tool.ts'
import { IndexStoreError } from '../../engine/index/index-store.ts'
import type { IndexSettings } from '../../engine/index/index-settings.ts'
import type { CodeConfig } from '../../project/code-config.ts'
import { type FoundProject, isIndexName, projectAt } from '../../project/find-project.ts'
import { indexingAnswer } from '../../answers.ts'
import { answeringObject } from '../answer.ts'
import type { CodeDeps } from '../code-deps.ts'
import { checkAllowed } from '../confine.ts'
import { embedIndex } from './embed-index.ts'
import { type FoundIndex, configOf, indexNameFor, settingsOf } from './find-index.ts'
import { InBandError } from '../in-band-error.ts'

export const indexCodebaseTool = defineTool({
  name: 'index_codebase',
  title: 'Index a codebase',
  description: `Index a folder of code, or bring its index up to date. Honours .gitignore and ${PROJECT_FILE}. Returns how many files were added, updated and removed, and why files were left out. A large folder goes on being indexed after the answer, which then says so; search_code answers from what is there.`,
  input: z.object({
    path: z.string().min(1).describe('The folder to index; relative to the project you work in'),
    index_name: z
      .string()
      .nullable()
      .default(null)
      .describe('A name for the index; by default made from the folder'),
  }),
  output: indexingAnswer,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  run: async (input, deps: CodeDeps, context) =>
    answeringObject(async () =>
      answerIndexing({ ...input, waitMs: deps.indexWaitMs }, deps, context),
    ),
})

/** Returns errors that the caller can fix in the shape of the contract, without throwing. */
export async function answerIndexing(
  request: IndexRequest,
  deps: CodeDeps,
  context: ServiceContext,
): Promise<z.output<typeof indexingAnswer>> {
  try {
    return await indexCodebase(request, deps, context)
  } catch (error) {
    if (error instanceof InBandError || error instanceof IndexStoreError) {
      return { success: false, error: `Failed to index codebase: ${error.message}` }
    }
    throw error
  }
}

/** What to index, and how; the project's settings decide about absent fields. */
export interface IndexRequest {
  readonly path: string
  readonly index_name: string | null
  readonly include_patterns?: readonly string[] | undefined
  readonly exclude_patterns?: readonly string[] | undefined
  readonly no_gitignore?: boolean | undefined
  readonly fresh?: boolean | undefined
  /** Whether to parse every file before the answer; a server parses afterwards. */
  readonly parse?: boolean | undefined
  /** How long to wait before answering while the work goes on; by default until it is done. */
  readonly waitMs?: number | undefined
}

/** Everything that is decided before the first file is read. */
interface IndexPlan {
  readonly project: FoundProject
  readonly config: CodeConfig
  readonly name: string
  readonly settings: IndexSettings
}

async function planIndexing(
  request: IndexRequest,
  deps: CodeDeps,
  context: Pick<ServiceContext, 'project' | 'isRemote'>,
): Promise<IndexPlan> {
  const root = await folderToIndex(request.path, deps, context)
  const project = projectAt(root)
  const config = await configOf(project, deps)
  const name = request.index_name ?? indexNameFor(project, config, deps.library.store)
  if (!isIndexName(name)) {
    throw new InBandError(
      'Invalid name',
      `'${name}' is not an index name: use letters, digits and _, at most 255`,
    )
  }
  const known = deps.library.store.summary(name)
  if (known && known.identity !== project.identity) {
    throw new InBandError(
      'Index name collision',
      `Index '${name}' is already mapped to ${known.identity}. Choose another index_name, or set indexName in ${PROJECT_FILE}.`,
    )
  }
  const { include_patterns: include, exclude_patterns: exclude } = request
  const settings = settingsOf(config, {
    ...(include && include.length > 0 && { include }),
    ...(exclude && exclude.length > 0 && { exclude }),
    ...(request.no_gitignore && { gitignore: false }),
  })
  return { project, config, name, settings }
}

/** Runs a job that may outlive its call. Aborting the call cancels it only during the wait. */
async function indexCodebase(request: IndexRequest, deps: CodeDeps, context: ServiceContext) {
  const plan = await planIndexing(request, deps, context)
  const stop = new AbortController()
  const cancel = (): void => stop.abort(context.signal.reason)
  let files = 0
  let isWaiting = true
  const progress: Progress = (verb) => (done, total) => {
    files = done
    const message = `${verb} ${done} files`
    if (isWaiting)
      context.progress({ progress: done, ...(total !== undefined && { total }), message })
  }
  context.signal.throwIfAborted()
  context.signal.addEventListener('abort', cancel, { once: true })
  try {
    const job = runIndexing(request, plan, deps, { signal: stop.signal, progress })
    if (request.waitMs === undefined) return await job
    const done = await withTimeout(job, request.waitMs, () => undefined)
    if (done) return done
    job.catch(() => undefined) // The next call for this index reports the failure.
    // This call may still wait for an earlier one, which is at work.
    return goesOn(plan, deps.library.partial(plan.name)?.index.files.size ?? files)
  } finally {
    isWaiting = false
    context.signal.removeEventListener('abort', cancel)
  }
}

function goesOn({ project, name }: IndexPlan, files: number) {
  return {
    success: true,
    status: 'indexing',
    index_name: name,
    path: project.root,
    files_indexed: files,
    message: `${files} files are indexed so far and the work goes on in the background. search_code answers from what is there and says so; call index_codebase again to wait for the end.`,
  }
}

type Progress = (verb: string) => (done: number, total?: number) => void

async function runIndexing(
  request: IndexRequest,
  { project, config, name, settings }: IndexPlan,
  deps: CodeDeps,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: Progress },
) {
  const { live, report } = await deps.library.build(project, name, settings, {
    signal,
    fresh: request.fresh ?? false,
    progress: progress('Indexed'),
  })
  if (request.parse) {
    await live.parse({ signal, progress: progress('Parsed') })
    await live.save()
  }
  const embedding = await embedAll(deps, { live, config }, signal)
  const { index } = live
  const missing = config.linkedIndexes.filter((linked) => !deps.library.has(linked))
  return {
    success: true,
    index_name: name,
    path: project.root,
    stats: {
      files_added: report.added,
      files_removed: report.removed,
      files_updated: report.updated,
    },
    total_files: index.files.size,
    dep_stats: { total_edges: index.graph.edges.length },
    excluded: { total: index.excluded.count, by_reason: index.excluded.reasons },
    ...(embedding !== undefined && { embedding }),
    ...(config.warnings.length > 0 && { config_warnings: config.warnings }),
    ...(missing.length > 0 && {
      linked_index_warnings: missing.map((linked) => `Linked index '${linked}' does not exist`),
    }),
  }
}

/** Words are indexed in either case; the answer tells whether there are vectors too. */
async function embedAll(
  deps: CodeDeps,
  target: Pick<FoundIndex, 'live' | 'config'>,
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  const model = deps.embedders.modelFor(target.config)
  if (!model) return undefined
  try {
    await embedIndex(deps, target, signal)
    return { ...model, ok: true }
  } catch (error) {
    signal.throwIfAborted()
    return { ...model, ok: false, error: messageOf(error) }
  }
}

async function folderToIndex(
  path: string,
  deps: CodeDeps,
  context: Pick<ServiceContext, 'project' | 'isRemote'>,
): Promise<string> {
  const folder = isAbsolute(path) ? resolve(path) : resolve((await context.project()).path, path)
  // Checked first: the answer must not reveal whether a folder exists elsewhere.
  if (context.isRemote) checkAllowed(folder, deps)
  if (existsSync(folder) && statSync(folder).isDirectory()) return realpathSync(folder)
  throw new InBandError(
    'Path not found',
    `${folder} is not a folder. Give the path of a folder that exists.`,
  )
}
