import { dirname } from 'node:path'
import { type SettingValues, readSettings } from '../../base/setting-table.ts'
import { VECTOR_DIMENSION } from '../../search/code/code-meaning.ts'
import { builtinModelProblem, createBuiltinEmbedder } from '../../search/embed/builtin-embedder.ts'
import type { EmbedderSettings } from '../../search/embed/create-embedder.ts'
import { CodeLibrary } from './engine/index/code-library.ts'
import { portolanHome } from './engine/index/index-store.ts'
import { Embedders } from './engine/index/embedders.ts'
import { findProject } from './project/find-project.ts'
import { openBrowser } from '../../base/open-browser.ts'
import { CODE_SETTINGS } from './settings.ts'
import type { CodeDeps } from './tools/code-deps.ts'

export interface CodeServiceOptions {
  readonly version?: string
  /** The data folder; `PORTOLAN_HOME` or `~/.portolan` by default. */
  readonly home?: string | undefined
  /** Whether to watch, save and parse in the background, as a long-running server does. */
  readonly background?: boolean
  readonly freshnessBudgetMs?: number
  /**
   * Whether the first search indexes a detected project; by default the agent is asked to call
   * `index_codebase`.
   */
  readonly autoIndex?: boolean | undefined
  readonly autoIndexBudgetMs?: number
  readonly indexWaitMs?: number
  /** The working folder when a client names none; network clients may read it by default. */
  readonly project?: string | undefined
  readonly dashboardUrl?: CodeDeps['dashboardUrl'] | undefined
  readonly env?: NodeJS.ProcessEnv
  /** The embedder configured for all built-ins. */
  readonly embedding?: EmbedderSettings | undefined
}

/** Well below the timeouts of clients and of the gateway. */
const AUTO_INDEX_MS = 20_000

export function createCodeDeps(options: CodeServiceOptions): CodeDeps {
  const env = options.env ?? process.env
  const home = options.home ?? portolanHome(env)
  const settings = readSettings(CODE_SETTINGS, 'code', env)
  const modelProblem = isWordsOnly(options) ? undefined : builtinModelProblem()
  const model =
    isWordsOnly(options) || modelProblem !== undefined
      ? undefined
      : createBuiltinEmbedder({ dimension: VECTOR_DIMENSION })
  return {
    embedders: new Embedders(env, home, options.embedding),
    library: new CodeLibrary({ home, background: options.background ?? true, model }),
    modelProblem,
    freshnessBudgetMs: options.freshnessBudgetMs ?? 250,
    autoIndex: (settings.autoIndex ?? options.autoIndex) === true,
    autoIndexBudgetMs: options.autoIndexBudgetMs ?? AUTO_INDEX_MS,
    indexWaitMs: options.indexWaitMs ?? AUTO_INDEX_MS,
    allowedRoots: allowedRoots(settings, options.project),
    dashboardUrl: options.dashboardUrl ?? (() => undefined),
    openBrowser,
    env,
  }
}

/** Whether ranking by meaning is off; else the bundled model ranks, whatever embedder is set. */
function isWordsOnly({ embedding }: CodeServiceOptions): boolean {
  return embedding?.provider === 'none'
}

/** Returns the folders network clients may read: those of the settings, or else the project. */
function allowedRoots(
  { folders, projectsDir }: SettingValues<typeof CODE_SETTINGS>,
  project: string | undefined,
): string[] {
  const named = folders ?? projectRoot(project)
  return projectsDir ? [...named, projectsDir] : [...named]
}

/** Returns nothing for a service started in `/`, as by init: the whole disk is not a project. */
function projectRoot(project: string | undefined): string[] {
  if (project === undefined) return []
  const { root } = findProject(project)
  return root === dirname(root) ? [] : [root]
}

export async function closeCodeDeps({ library, embedders }: CodeDeps): Promise<void> {
  await library.close()
  await embedders.close()
}
