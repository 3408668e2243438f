import { setImmediate } from 'node:timers/promises'
import { TextIndex } from '../../../../search/text-index.ts'
import type { Storage } from '../../../../storage/storage.ts'
import { tagsOf } from '../../../../storage/traces/tags.ts'
import {
  type TraceText,
  changedTraces,
  traceRevision,
} from '../../../../storage/traces/trace-rows.ts'
import { Lazy } from '../../../../base/flow/lazy.ts'
import { getOrMake } from '../../../../base/maps.ts'
import { FIELDS, type Position, type TraceFields } from './trace-fields.ts'
import { type IndexFile, loadTraceIndex, saveTraceIndex } from './trace-index-file.ts'

const PAGE = 200

interface LexicalSearch {
  readonly tags: readonly string[]
  readonly limit: number
  readonly minScore?: number
}

export interface LexicalHit {
  readonly id: string
  readonly score: number
}

/**
 * The word index of all traces, in memory, built from the database. Other processes write too, so a
 * search compares `revision` with that of the database and makes the index read the changes.
 */
export class TraceIndex {
  readonly #storage: Storage
  readonly #file: IndexFile | undefined
  #text = new TextIndex<TraceFields>(FIELDS)
  /** The label of a text in the index is the number of its set of tags. */
  #tagSets = new TagSets()
  #position: Position = { revision: 0, id: '' }
  #saved: Position = this.#position
  readonly #loading = new Lazy(async () => this.#load())
  #syncing: Promise<void> | undefined
  #isReady = false

  constructor(storage: Storage, file?: IndexFile) {
    this.#storage = storage
    this.#file = file
  }

  /** False until the whole table has been read once; an earlier search would miss traces. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** The revision of the table that this index has read. */
  get revision(): number {
    return this.#position.revision
  }

  get size(): number {
    return this.#text.size
  }

  async sync(): Promise<void> {
    this.#syncing ??= this.#catchUp().finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  /** Reads changes until this revision of the database is included. */
  async reach(revision: number): Promise<void> {
    while (this.revision < revision) await this.sync()
  }

  search(query: string, { tags, ...options }: LexicalSearch): LexicalHit[] {
    const isFit = this.#tagSets.having(tags)
    return this.#text.search(query, {
      ...options,
      ...(tags.length > 0 && { accept: (_, label) => isFit(label) }),
    })
  }

  /** Returns a test of whether a trace exists and has all of the tags. */
  carrying(tags: readonly string[]): (id: string) => boolean {
    const isFit = this.#tagSets.having(tags)
    return (id) => {
      const label = this.#text.labelOf(id)
      return label !== undefined && isFit(label)
    }
  }

  /** Removes a trace that was deleted from the database. */
  delete(id: string): void {
    this.#text.delete(id)
  }

  /** Saves the index, so that the next process does not have to read everything again. */
  async close(): Promise<void> {
    await this.#syncing?.catch(() => {})
    if (!this.#file || !this.#isReady || this.#position.revision === this.#saved.revision) return
    await saveTraceIndex(this.#file, this.#text, {
      position: this.#position,
      tagSets: this.#tagSets.all(),
    })
  }

  async #catchUp(): Promise<void> {
    await this.#loading.get()
    const revision = await traceRevision(this.#storage.db)
    if (revision > this.revision) await this.#readChanges()
    // If the newest trace was deleted, no row has the revision up to which everything is read.
    if (revision > this.revision) this.#position = { revision, id: '' }
    this.#isReady = true
  }

  async #readChanges(): Promise<void> {
    for (;;) {
      const page = await changedTraces(this.#storage.db, this.#position, PAGE)
      await this.#add(page)
      const last = page.at(-1)
      if (last) this.#position = { revision: last.revision, id: last.id }
      if (page.length < PAGE) return
      // A large table takes seconds, so this yields to the event loop.
      await setImmediate()
    }
  }

  async #add(traces: readonly TraceText[]): Promise<void> {
    const tags = await tagsOf(
      this.#storage.db,
      traces.map(({ id }) => id),
    )
    for (const { id, title, context_text, solution_text } of traces) {
      const own = tags.get(id) ?? []
      this.#text.set(
        id,
        { title, tags: own.join(' '), context: context_text, solution: solution_text },
        this.#tagSets.numberOf(own),
      )
    }
  }

  async #load(): Promise<void> {
    const saved = this.#file && (await loadTraceIndex(this.#file))
    if (!saved) return
    const now = await traceRevision(this.#storage.db)
    // A restored or replaced database counts from the start; the saved index is of another one.
    if (saved.position.revision > now) return
    this.#text = saved.text
    this.#tagSets = new TagSets(saved.tagSets)
    this.#position = saved.position
    this.#saved = saved.position
  }
}

/** Numbers each distinct tag set, because many traces have the same few. */
class TagSets {
  readonly #sets: (readonly string[])[] = []
  readonly #numbers = new Map<string, number>()

  constructor(sets: readonly (readonly string[])[] = []) {
    for (const tags of sets) this.numberOf(tags)
  }

  /** Returns the same number for the same tags in the same order. */
  numberOf(tags: readonly string[]): number {
    return getOrMake(this.#numbers, tags.join(' '), () => this.#sets.push(tags) - 1)
  }

  /** Returns a test of whether a set has all of these tags; it checks each set once. */
  having(tags: readonly string[]): (number: number) => boolean {
    const looked: boolean[] = []
    return (number) =>
      (looked[number] ??= tags.every((tag) => this.#sets[number]?.includes(tag) ?? false))
  }

  all(): readonly (readonly string[])[] {
    return this.#sets
  }
}
