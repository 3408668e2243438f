import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { withTimeout } from '../base/flow/time.ts'
import { watchFiles } from '../config/reload/watch-files.ts'
import type { SavedScript, SavedScripts } from '../protocol/saved-scripts.ts'
import type { Log } from '../telemetry/log.ts'
import type { Shared } from './shared.ts'

export interface LibraryOptions {
  readonly home: string
  readonly shared: Pick<Shared, 'storage' | 'database'>
  readonly log: Log
  /** Called with the scripts that are tools whenever they change. */
  readonly onChange: (scripts: readonly SavedScript[]) => Promise<void>
}

/** The longest that a database that does not answer delays the first request. */
const FIRST_LOOK_MS = 2000

/** The saved scripts of this gateway; follows what other processes and people change. */
export class ScriptLibrary {
  readonly #options: LibraryOptions
  #opening: Promise<SavedScripts> | undefined
  #looking: Promise<void> = Promise.resolve()
  #first: Promise<void> | undefined
  #isLoaded = false
  /** The digests of the scripts that were offered last. */
  #offered = ''
  #unwatch: (() => void) | undefined
  #reported = ''
  #closed = false

  constructor(options: LibraryOptions) {
    this.#options = options
  }

  /** Resolves when the scripts are first known; undefined once they are. */
  loaded(): Promise<void> | undefined {
    if (this.#isLoaded) return undefined
    this.#first ??= this.#start()
    return this.#first
  }

  /** Returns the store; a change is applied before its promise resolves. */
  async store(): Promise<SavedScripts> {
    const scripts = await this.#open()
    const applied = async <Result>(change: Promise<Result>) => {
      const result = await change
      await this.#look()
      return result
    }
    return {
      ...scripts,
      save: async (...args) => applied(scripts.save(...args)),
      approve: async (...args) => applied(scripts.approve(...args)),
      remove: async (name) => applied(scripts.remove(name)),
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#unwatch?.()
    await this.#looking
  }

  async #start(): Promise<void> {
    const { home, shared } = this.#options
    const look = () => void this.#look()
    this.#unwatch = shared.database?.onScripts(look) ?? watchScripts(join(home, 'scripts'), look)
    await withTimeout(this.#look(), FIRST_LOOK_MS, () => undefined)
    this.#isLoaded = true
  }

  /** Looks for changes, after any look under way, which may have been too early. */
  async #look(): Promise<void> {
    this.#looking = this.#looking
      .then(async () => (this.#closed ? undefined : this.#read()))
      .catch((error: unknown) => this.#report(`saved scripts cannot be read: ${messageOf(error)}`))
    return this.#looking
  }

  async #read(): Promise<void> {
    const scripts = await this.#open()
    const problems = await scripts.problems()
    this.#report(problems.map((problem) => `saved script left out: ${problem}`).join('; '))
    const tools = (await scripts.list()).filter(({ state }) => state === 'approved')
    const digests = tools.map(({ digest }) => digest).join(' ')
    if (digests === this.#offered) return
    await this.#options.onChange(tools)
    // Only now, so that the next look tries again what could not be applied.
    this.#offered = digests
  }

  /** Logs a new problem; meanwhile the last scripts that were read stay in use. */
  #report(problem: string): void {
    if (problem !== this.#reported && problem !== '') this.#options.log.error(problem)
    this.#reported = problem
  }

  async #open(): Promise<SavedScripts> {
    this.#opening ??= this.#openStore().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #openStore(): Promise<SavedScripts> {
    const { home, shared } = this.#options
    const { openSavedScripts } = await import('../builtins/scripts/open-saved-scripts.ts')
    return openSavedScripts(home, shared.storage)
  }
}

/** Watches a folder and the files in it, as an editor may write a file in its place. */
function watchScripts(folder: string, onChange: () => void): () => void {
  let closed = false
  let watching = watch()
  function watch() {
    const files = filesIn(folder).map((file) => join(folder, file))
    return watchFiles([folder, join(folder, 'any.ts'), ...files], () => {
      if (closed) return
      watching.close()
      watching = watch()
      onChange()
    })
  }
  return () => {
    closed = true
    watching.close()
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
