import type { Service } from '../../protocol/service.ts'
import { createService } from '../kit/create-service.ts'
import { CodeThread } from './code-thread.ts'
import { CODE_TOOLS } from './code-tools.ts'
import { CodeLibrary } from './engine/code-library.ts'
import { openBrowser } from './open-browser.ts'
import type { CodeDeps } from './tools/code-deps.ts'

export interface CodeServiceOptions {
  readonly version?: string
  /** The data folder; `PORTOLAN_HOME` or `~/.portolan` by default. */
  readonly home?: string | undefined
  /** Watch, save and parse in the background: for a server that stays. */
  readonly background?: boolean
  readonly freshnessBudgetMs?: number
  /** Index a detected project at its first search; by default the agent is told to call `index_codebase`. */
  readonly autoIndex?: boolean
  readonly allowedRoots?: readonly string[]
  readonly dashboardUrl?: () => string | undefined
  readonly env?: NodeJS.ProcessEnv
}

const INSTRUCTIONS =
  'Code search over the project you work in. Use search_code before Grep, find_symbol for a definition, find_references for its uses, get_file_impact before changing a file. If a project is not indexed yet, call index_codebase(path=".") once; after that the index keeps itself up to date.'

/** The built-in code server. Its work is done in a thread of its own, started by the first call. */
export function createCodeService(options: CodeServiceOptions = {}): Service {
  const listing = createLocalCodeService(options)
  const { home, freshnessBudgetMs, autoIndex, allowedRoots, env = process.env } = options
  const thread = new CodeThread(
    { home, freshnessBudgetMs, autoIndex, allowedRoots, env: { ...env } },
    options.dashboardUrl ?? (() => undefined),
  )
  return {
    ...listing,
    async handle(method, params, context) {
      return method === 'tools/call'
        ? thread.call(params, context)
        : listing.handle(method, params, context)
    },
    close: async () => thread.close(),
  }
}

/** The same in this thread: for a command that answers once and ends. */
export function createLocalCodeService(options: CodeServiceOptions = {}): Service {
  const library = new CodeLibrary({ home: options.home, background: options.background ?? true })
  const env = options.env ?? process.env
  const deps: CodeDeps = {
    library,
    freshnessBudgetMs: options.freshnessBudgetMs ?? 250,
    autoIndex: options.autoIndex ?? env['PORTOLAN_CODE_AUTO_INDEX'] === '1',
    allowedRoots: [
      ...(options.allowedRoots ?? []),
      ...(env['COCOSEARCH_PROJECTS_DIR'] ? [env['COCOSEARCH_PROJECTS_DIR']] : []),
    ],
    dashboardUrl: options.dashboardUrl ?? (() => undefined),
    openBrowser,
    env,
  }
  return createService({
    name: 'code',
    version: options.version ?? '0.1.0',
    instructions: INSTRUCTIONS,
    tools: CODE_TOOLS,
    deps,
    close: async () => library.close(),
  })
}
