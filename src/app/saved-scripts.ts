import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { withTimeout } from '../base/flow/time.ts'
import { watchFiles } from '../config/reload/watch-files.ts'
import { type SavedScripts, type ScriptVersion } from '../protocol/saved-scripts.ts'
import type { Storage } from '../storage/storage.ts'
import type { Log } from '../telemetry/log.ts'
import type { Shared } from './shared.ts'

export interface LibraryOptions {
  readonly home: string
  readonly shared: Pick<Shared, 'storage' | 'database'>
  readonly log: Log
  /** Called with the active scripts whenever they change. */
  readonly onChange: (scripts: readonly ScriptVersion[]) => Promise<void>
}

/** How often to look for scripts that other processes saved: notices of them may be lost. */
const LOOK_MS = 30_000
/** After a notice: the file also changes with everything else that is stored in it. */
const NOTICED_MS = 1000
/** The longest that a database that does not answer delays the first request. */
const FIRST_LOOK_MS = 2000

const NOTHING = { list: async () => [], history: async () => [], active: async () => [] }

interface Opened {
  readonly storage: Storage
  readonly scripts: SavedScripts
  readonly revision: () => Promise<number>
}

/**
 * The saved scripts of this gateway: in the database that replicas share, or in that of the data
 * folder. Nothing is loaded while there is no database, and saving the first script creates it.
 */
export class ScriptLibrary {
  readonly #options: LibraryOptions
  #opening: Promise<Opened> | undefined
  #looking: Promise<void> | undefined
  #again = false
  #first: Promise<void> | undefined
  #isLoaded = false
  #revision = -1
  #timer: NodeJS.Timeout | undefined
  #unlisten: (() => void) | undefined
  #reported: string | undefined
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

  /** Returns the store for saving and deciding. Reading does not create a database. */
  async store(): Promise<SavedScripts> {
    if (!this.#opening && !this.#exists()) return this.#followed(NOTHING)
    const { scripts } = await this.#open()
    return this.#followed(scripts)
  }

  /** Reads the active scripts again after a change, so that the caller finds it applied. */
  #followed(reading: Pick<SavedScripts, 'list' | 'history' | 'active'>): SavedScripts {
    const change = async <Result>(work: (scripts: SavedScripts) => Promise<Result>) => {
      const { scripts } = await this.#open()
      const result = await work(scripts)
      await this.#look()
      return result
    }
    return {
      list: async () => reading.list(),
      history: async (name) => reading.history(name),
      active: async () => reading.active(),
      propose: async (...args) => change(async (scripts) => scripts.propose(...args)),
      save: async (...args) => change(async (scripts) => scripts.save(...args)),
      approve: async (...args) => change(async (scripts) => scripts.approve(...args)),
      reject: async (...args) => change(async (scripts) => scripts.reject(...args)),
      remove: async (...args) => change(async (scripts) => scripts.remove(...args)),
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    this.#unlisten?.()
    await this.#looking
    const opened = await this.#opening?.catch(() => undefined)
    if (opened && opened.storage !== this.#options.shared.storage) await opened.storage.close()
  }

  async #start(): Promise<void> {
    const { home, shared } = this.#options
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref()
    this.#unlisten = shared.database?.onScripts(() => void this.#look()) ?? this.#watch(home)
    await withTimeout(this.#look(), FIRST_LOOK_MS, () => undefined)
    this.#isLoaded = true
  }

  #watch(home: string): () => void {
    const file = join(home, 'portolan.db')
    let soon: NodeJS.Timeout | undefined
    const files = watchFiles([file, `${file}-wal`], () => {
      soon ??= setTimeout(() => {
        soon = undefined
        void this.#look()
      }, NOTICED_MS).unref()
    })
    return () => {
      files.close()
      clearTimeout(soon)
    }
  }

  /** Looks for changes; a call during a look repeats it, as its change may be newer. */
  async #look(): Promise<void> {
    if (this.#closed) return
    if (this.#looking) {
      this.#again = true
      return this.#looking
    }
    this.#looking = this.#readAll()
    return this.#looking
  }

  async #readAll(): Promise<void> {
    do {
      this.#again = false
      try {
        await this.#read()
        this.#reported = undefined
      } catch (error) {
        this.#report(error)
      }
    } while (this.#again)
    this.#looking = undefined
  }

  async #read(): Promise<void> {
    if (!this.#opening && !this.#exists()) return
    const { scripts, revision } = await this.#open()
    const newest = await revision()
    if (newest === this.#revision) return
    const active = newest === 0 ? [] : await scripts.active()
    const isNews = this.#revision !== -1 || active.length > 0
    if (isNews) await this.#options.onChange(active)
    // Only now, so that the next look tries again what could not be applied.
    this.#revision = newest
  }

  /** Logs a new problem; meanwhile the last scripts that were read stay in use. */
  #report(error: unknown): void {
    const problem = messageOf(error)
    if (problem === this.#reported) return
    this.#reported = problem
    this.#options.log.error(`saved scripts cannot be read: ${problem}`)
  }

  #exists(): boolean {
    const { home, shared } = this.#options
    return shared.storage !== undefined || existsSync(join(home, 'portolan.db'))
  }

  async #open(): Promise<Opened> {
    this.#opening ??= this.#openStorage().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #openStorage(): Promise<Opened> {
    const { home, shared } = this.#options
    const [{ openStorage }, { createSavedScripts, SERIES }, { currentRevision }] =
      await Promise.all([
        import('../storage/open-storage.ts'),
        import('../builtins/scripts/create-saved-scripts.ts'),
        import('../storage/revisions.ts'),
      ])
    const storage = shared.storage ?? (await openStorage({ home }))
    const scripts = createSavedScripts(storage)
    return { storage, scripts, revision: async () => currentRevision(storage.db, SERIES) }
  }
}
