import { existsSync } from 'node:fs'
import type { TextModel } from '../../../../search/code/code-meaning.ts'
import { type FoundProject, projectAt } from '../../project/find-project.ts'
import type { IndexSettings } from './index-settings.ts'
import { IndexStore, type IndexSummary } from './index-store.ts'
import { LiveIndex } from './live-index.ts'
import type { RefreshOptions, RefreshReport } from './refresh.ts'

export interface LibraryOptions {
  readonly home?: string | undefined
  readonly background?: boolean
  readonly model?: TextModel | undefined
}

export type BuildOptions = RefreshOptions & { readonly fresh?: boolean }

export interface Built {
  readonly live: LiveIndex
  readonly report: RefreshReport
}

/** The most indexes open at once; the least recently used one is closed first. */
const MAX_OPEN = 6

/** All indexes of one data folder: opened on demand, shared by every call. */
export class CodeLibrary {
  readonly store: IndexStore
  readonly #background: boolean
  readonly #open = new Map<string, Promise<LiveIndex | undefined>>()
  readonly #building = new Map<string, Promise<unknown>>()
  /** Indexes being built from scratch: searchable already, saved once complete. */
  readonly #partial = new Map<string, LiveIndex>()
  readonly #closing = new AbortController()

  constructor({ home, background = false, model }: LibraryOptions) {
    this.store = new IndexStore(home, model)
    this.#background = background
  }

  /** Returns the index, loaded once; undefined if there is none or its project is gone. */
  async get(name: string, project?: FoundProject): Promise<LiveIndex | undefined> {
    const partial = this.#partial.get(name)
    if (partial) return partial
    const opening = this.#open.get(name) ?? this.#opening(name, project)
    this.#open.delete(name)
    this.#open.set(name, opening)
    while (this.#open.size > MAX_OPEN) {
      const [oldest = name] = this.#open.keys()
      await this.#close(oldest)
    }
    return opening
  }

  /** Builds or updates the index; `fresh` discards the old one. Builds of one name take turns. */
  async build(
    project: FoundProject,
    name: string,
    settings: IndexSettings,
    options: BuildOptions = {},
  ): Promise<Built> {
    const before = this.#building.get(name)
    const building = (async () => {
      await before?.catch(() => undefined)
      const { signal: closing } = this.#closing
      const signal = options.signal ? AbortSignal.any([options.signal, closing]) : closing
      return this.#build(project, name, settings, { ...options, signal })
    })()
    this.#building.set(name, building)
    try {
      return await building
    } finally {
      if (this.#building.get(name) === building) this.#building.delete(name)
    }
  }

  async #build(
    project: FoundProject,
    name: string,
    settings: IndexSettings,
    options: BuildOptions,
  ): Promise<Built> {
    const known = options.fresh ? undefined : await this.get(name, project)
    const isSame = known && sameSettings(known.index.identity.settings, settings)
    const live = isSame ? known : LiveIndex.create(project, name, settings, this.#live())
    const report = isSame ? await live.refresh(options) : await this.#replace(name, live, options)
    await live.save()
    return { live, report }
  }

  /** Fills a new index and opens it in place of the old one, which stays on disk until then. */
  async #replace(name: string, live: LiveIndex, options: RefreshOptions): Promise<RefreshReport> {
    this.#partial.set(name, live)
    try {
      await this.#close(name)
      const report = await live.refresh(options)
      this.#open.set(name, Promise.resolve(live))
      return report
    } catch (error) {
      await live.close()
      throw error
    } finally {
      this.#partial.delete(name)
    }
  }

  /** Returns the unfinished index of a build from scratch, if one is running. */
  partial(name: string): LiveIndex | undefined {
    return this.#partial.get(name)
  }

  /** Whether an index of this name can be searched, also while it is built for the first time. */
  has(name: string): boolean {
    return this.#partial.has(name) || this.store.summary(name) !== undefined
  }

  /** Lists all indexes, also those that are built for the first time. */
  list(): Pick<IndexSummary, 'name' | 'root' | 'updatedAt' | 'files'>[] {
    const saved = this.store.list()
    const known = new Set(saved.map(({ name }) => name))
    const first = [...this.#partial.values()]
      .map(({ index: { identity, files } }) => ({ ...identity, files: files.size }))
      .filter(({ name }) => !known.has(name))
    return [...saved, ...first]
  }

  isBuilding(name: string): boolean {
    return this.#building.has(name)
  }

  async remove(name: string): Promise<boolean> {
    await this.#close(name)
    return this.store.remove(name)
  }

  /** Cancels the builds that are running; the next build of the same project does their work. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#building.values())
    for (const name of this.#open.keys()) await this.#close(name)
  }

  /** Starts to load an index, and forgets it if there is none or it cannot be read. */
  #opening(name: string, project: FoundProject | undefined): Promise<LiveIndex | undefined> {
    const opening = this.#load(name, project)
    const forget = (): void => {
      if (this.#open.get(name) === opening) this.#open.delete(name)
    }
    opening.then((live) => live ?? forget(), forget)
    return opening
  }

  async #load(name: string, project: FoundProject | undefined): Promise<LiveIndex | undefined> {
    const summary = this.store.summary(name)
    if (!summary) return undefined
    const place = project ?? (existsSync(summary.root) ? projectAt(summary.root) : undefined)
    if (!place) return undefined
    const live = await LiveIndex.open(place, name, this.#live())
    if (live) return live
    // The file is damaged or of another version, so it is rebuilt from the sources.
    const rebuilt = LiveIndex.create(place, name, summary.settings, this.#live())
    await rebuilt.refresh()
    await rebuilt.save().catch(() => undefined)
    return rebuilt
  }

  #live(): { store: IndexStore; background: boolean } {
    return { store: this.store, background: this.#background }
  }

  async #close(name: string): Promise<void> {
    const opening = this.#open.get(name)
    this.#open.delete(name)
    // An index that could not be read has nothing to close; the caller who opened it has the error.
    const live = await opening?.catch(() => undefined)
    await live?.close()
  }
}

function sameSettings(a: IndexSettings, b: IndexSettings): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
