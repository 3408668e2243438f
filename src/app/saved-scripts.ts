import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { withTimeout } from '../base/flow/time.ts'
import { watchFiles } from '../config/reload/watch-files.ts'
import type { SavedScript, SavedScripts } from '../protocol/saved-scripts.ts'
import type { Log } from '../telemetry/log.ts'
import type { ReplicaServices } from './shared.ts'

export interface LibraryOptions {
  readonly home: string
  readonly shared: Pick<ReplicaServices, 'storage' | 'database'>
  readonly log: Log
  /** Called with the scripts that are tools whenever they change. */
  readonly onChange: (scripts: readonly SavedScript[]) => Promise<void>
}

export interface ScriptLibrary {
  /** Resolves when the scripts are first known; undefined once they are. */
  loaded(): Promise<void> | undefined
  /** Returns the store; a change is applied before its promise resolves. */
  store(): Promise<SavedScripts>
  close(): Promise<void>
}

/** The longest that a database that does not answer delays the first request. */
const FIRST_LOOK_MS = 2000

/** Opens the saved scripts of a gateway, and follows what others change. */
export function createScriptLibrary(options: LibraryOptions): ScriptLibrary {
  const { home, shared, log, onChange } = options
  let opening: Promise<SavedScripts> | undefined
  let looking = Promise.resolve()
  let first: Promise<void> | undefined
  let isLoaded = false
  /** The digests of the scripts that were offered last. */
  let offered = ''
  let reported = ''
  let unwatch: (() => void) | undefined

  async function open(): Promise<SavedScripts> {
    opening ??= import('../builtins/scripts/open-saved-scripts.ts')
      .then(async ({ openSavedScripts }) => openSavedScripts(home, shared.storage))
      .catch((error: unknown) => {
        opening = undefined
        throw error
      })
    return opening
  }

  /** Looks for changes, after any look under way, which may have been too early. */
  async function look(): Promise<void> {
    looking = looking
      .then(read)
      .catch((error: unknown) => report(`saved scripts cannot be read: ${messageOf(error)}`))
    return looking
  }

  async function read(): Promise<void> {
    const scripts = await open()
    const problems = await scripts.problems()
    report(problems.map((problem) => `saved script left out: ${problem}`).join('; '))
    const tools = (await scripts.list()).filter(({ state }) => state === 'approved')
    const digests = tools.map(({ digest }) => digest).join(' ')
    if (digests === offered) return
    await onChange(tools)
    // Only now, so that the next look tries again what could not be applied.
    offered = digests
  }

  /** Logs a new problem; meanwhile the last scripts that were read stay in use. */
  function report(problem: string): void {
    if (problem !== reported && problem !== '') log.error(problem)
    reported = problem
  }

  async function start(): Promise<void> {
    const onNotice = () => void look()
    unwatch = shared.database?.onScripts(onNotice) ?? watchScripts(join(home, 'scripts'), onNotice)
    await withTimeout(look(), FIRST_LOOK_MS, () => undefined)
    isLoaded = true
  }

  async function applied<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change
    await look()
    return result
  }

  return {
    loaded: () => (isLoaded ? undefined : (first ??= start())),
    async store() {
      const scripts = await open()
      return {
        ...scripts,
        save: async (...args) => applied(scripts.save(...args)),
        approve: async (...args) => applied(scripts.approve(...args)),
        remove: async (name) => applied(scripts.remove(name)),
      }
    },
    async close() {
      unwatch?.()
      await looking
    },
  }
}

/** Watches a folder and the files in it, as an editor may write a file in its place. */
function watchScripts(folder: string, onChange: () => void): () => void {
  const watch = () =>
    watchFiles([folder, join(folder, 'any.ts'), ...filesIn(folder)], () => {
      watching.close()
      watching = watch()
      onChange()
    })
  let watching = watch()
  return () => watching.close()
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((file) => join(folder, file))
  } catch {
    return []
  }
}
