import { setImmediate } from 'node:timers/promises'
import { TextIndex } from '../../search/text-index.ts'
import type { Storage } from '../../storage/storage.ts'
import { tagsOf } from '../../storage/traces/tags.ts'
import { type TraceText, changedTraces, traceRevision } from '../../storage/traces/trace-rows.ts'
import { FIELDS, type Position, type TraceFields } from './trace-fields.ts'
import { type IndexFile, loadTraceIndex, saveTraceIndex } from './trace-index-file.ts'

const PAGE = 200

export interface LexicalHit {
  readonly id: string
  readonly score: number
}

/**
 * The words of every trace, in memory, derived from the database. Other processes write too, so every
 * search first reads what has changed since the last one; that is one indexed lookup when nothing has.
 */
export class TraceIndex {
  readonly #storage: Storage
  readonly #file: IndexFile | undefined
  #text = new TextIndex<TraceFields>(FIELDS)
  #tags = new Map<string, readonly string[]>()
  #position: Position = { revision: 0, id: '' }
  #saved: Position = this.#position
  #syncing: Promise<void> | undefined
  #opened: Promise<void> | undefined
  #isReady = false

  constructor(storage: Storage, file?: IndexFile) {
    this.#storage = storage
    this.#file = file
  }

  /** False until the first pass over the table is done: a search before would miss what it has not read. */
  get isReady(): boolean {
    return this.#isReady
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

  search(query: string, options: { tags: readonly string[]; limit: number }): LexicalHit[] {
    const accept = (id: string): boolean => this.hasTags(id, options.tags)
    return this.#text.search(query, {
      limit: options.limit,
      ...(options.tags.length > 0 && { accept }),
    })
  }

  hasTags(id: string, tags: readonly string[]): boolean {
    const own = this.#tags.get(id)
    return own !== undefined && tags.every((tag) => own.includes(tag))
  }

  /** Forgets a trace that the database no longer has. */
  delete(id: string): void {
    this.#text.delete(id)
    this.#tags.delete(id)
  }

  /** Saved so that the next process does not have to read everything again. */
  async close(): Promise<void> {
    await this.#syncing?.catch(() => {})
    if (!this.#file || !this.#isReady || this.#position.revision === this.#saved.revision) return
    await saveTraceIndex(this.#file, this.#text, { position: this.#position, tags: this.#tags })
  }

  async #catchUp(): Promise<void> {
    this.#opened ??= this.#load()
    await this.#opened
    if ((await traceRevision(this.#storage.db)) > this.#position.revision) await this.#readChanges()
    this.#isReady = true
  }

  async #readChanges(): Promise<void> {
    for (;;) {
      const page = await changedTraces(this.#storage.db, this.#position, PAGE)
      await this.#add(page)
      const last = page.at(-1)
      if (last) this.#position = { revision: last.revision, id: last.id }
      if (page.length < PAGE) return
      // A large table takes seconds: let the rest of the process live meanwhile.
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
      this.#tags.set(id, own)
      this.#text.set(id, {
        title,
        tags: own.join(' '),
        context: context_text,
        solution: solution_text,
      })
    }
  }

  async #load(): Promise<void> {
    const saved = this.#file && (await loadTraceIndex(this.#file))
    if (!saved) return
    const now = await traceRevision(this.#storage.db)
    // A restored or replaced database starts counting again: then the saved index is about another one.
    if (saved.position.revision > now) return
    this.#text = saved.text
    this.#tags = saved.tags
    this.#position = saved.position
    this.#saved = saved.position
  }
}
