import { existsSync } from 'node:fs'
import type { TextModel } from '../../../../search/code/code-meaning.ts'
import { type FoundProject, projectAt } from '../../project/find-project.ts'
import type { IndexSettings } from './index-settings.ts'
import { IndexStore } from './index-store.ts'
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

  constructor({ home, background = false, model }: LibraryOptions) {
    this.store = new IndexStore(home, model)
    this.#background = background
  }

  /** Returns the index, loaded once; undefined if there is none or its project is gone. */
  async get(name: string, project?: FoundProject): Promise<LiveIndex | undefined> {
    const opening = this.#open.get(name) ?? this.#load(name, project)
    this.#open.delete(name)
    this.#open.set(name, opening)
    await this.#closeOldest()
    let live: LiveIndex | undefined
    try {
      live = await opening
    } finally {
      // What could not be opened is tried again; a build may have replaced it meanwhile.
      if (!live && this.#open.get(name) === opening) this.#open.delete(name)
    }
    return live
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
      return this.#build(project, name, settings, options)
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
    if (known && !isSame) await known.close()
    const live = isSame ? known : LiveIndex.create(project, name, settings, this.#live())
    if (!isSame) this.#partial.set(name, live)
    const report = await live.refresh(options).finally(() => this.#partial.delete(name))
    this.#open.set(name, Promise.resolve(live))
    await live.save()
    return { live, report }
  }

  /** Returns the unfinished index of a build from scratch, if one is running. */
  partial(name: string): LiveIndex | undefined {
    return this.#partial.get(name)
  }

  isBuilding(name: string): boolean {
    return this.#building.has(name)
  }

  async remove(name: string): Promise<boolean> {
    await this.#close(name)
    return this.store.remove(name)
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#building.values())
    for (const name of this.#open.keys()) await this.#close(name)
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

  async #closeOldest(): Promise<void> {
    while (this.#open.size > MAX_OPEN) {
      const [oldest] = this.#open.keys()
      if (oldest === undefined) return
      await this.#close(oldest)
    }
  }

  async #close(name: string): Promise<void> {
    const opening = this.#open.get(name)
    this.#open.delete(name)
    await (await opening?.catch(() => undefined))?.close()
  }
}

function sameSettings(a: IndexSettings, b: IndexSettings): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
