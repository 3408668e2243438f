import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { defineAnalyser } from '../../../search/analyse/analyser.ts'
import { STOP_WORDS } from '../../../search/analyse/stop-words.ts'
import type { Field } from '../../../search/lexical/field.ts'
import { IndexFileError } from '../../../search/persist/index-file.ts'
import { loadTextIndex, saveTextIndex } from '../../../search/persist/text-index-file.ts'
import { TextIndex } from '../../../search/text-index.ts'
import {
  type ChunkFacts as ChunkFactsRow,
  chunkFacts,
  chunksOfSource,
} from '../../../storage/knowledge/chunks.ts'
import { knowledgeRevision, sourcesAfter } from '../../../storage/knowledge/sources.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { SourceRow } from '../../../storage/tables/knowledge-tables.ts'
import { getOrMake } from '../../../base/maps.ts'
import type { ChunkFacts } from './chunk-filter.ts'
import { type StoredSource, partsOf, toSource } from './stored-chunk.ts'

type Name = 'content' | 'section' | 'path' | 'title'

const prose = defineAnalyser({ stem: true, stopWords: STOP_WORDS })

/** Weights tuned on half of the questions of the RFC benchmark and verified on the other half. */
const FIELDS: Readonly<Record<Name, Field>> = {
  content: { analyser: prose, lengthPenalty: 0.6 },
  section: { analyser: prose, weight: 2.5, lengthPenalty: 0.3 },
  path: { analyser: prose, weight: 1.6, lengthPenalty: 0.3 },
  title: { analyser: prose, weight: 0.8, lengthPenalty: 0.2 },
}

const FORMAT = 'knowledge/1'
const ROWS_AT_ONCE = 2000
/** Most texts use a few thousand distinct words; analysing one costs more than caching it. */
const WORDS_REMEMBERED = 20_000
/** The least changed chunks worth saving; fewer are cheaper to read again. */
const WORTH_SAVING = 2000

export interface IndexChange {
  readonly goneChunks: readonly string[]
  readonly changedSources: readonly string[]
}

/** The word index of all chunks, in this process; built and updated from the database. */
export class ChunkIndex {
  readonly #storage: Storage
  readonly #file: string | undefined
  #text = new TextIndex<Name>(FIELDS)
  readonly #terms = new LRUCache<string, readonly string[]>({ max: WORDS_REMEMBERED })
  readonly #facts = new Map<string, ChunkFacts>()
  readonly #bySource = new Map<string, string[]>()
  readonly #sources = new Map<string, StoredSource>()
  #revision = 0
  #unsaved = 0
  /** Sources that were read, from the saved index too, and not reported to the vectors yet. */
  readonly #changedSources = new Set<string>()
  /** Chunks of sources that changed; those without facts are gone. */
  readonly #formerChunks = new Set<string>()

  private constructor(storage: Storage, home: string | undefined) {
    this.#storage = storage
    this.#file = home === undefined ? undefined : join(home, 'knowledge.index')
  }

  static async open(storage: Storage, home: string | undefined): Promise<ChunkIndex> {
    const index = new ChunkIndex(storage, home)
    await index.#load()
    return index
  }

  get size(): number {
    return this.#text.size
  }

  facts(id: string): ChunkFacts | undefined {
    return this.#facts.get(id)
  }

  sources(): Iterable<StoredSource> {
    return this.#sources.values()
  }

  search(query: string, limit: number, accept?: (id: string) => boolean) {
    return this.#text.search(query, { limit, ...(accept && { accept }) })
  }

  /** Returns the chunks that contain a clause with exactly this number. */
  ofClause(clause: string): string[] {
    return [...this.#facts].flatMap(([id, { clauses }]) => (clauses.includes(clause) ? [id] : []))
  }

  allFacts(): Iterable<readonly [string, ChunkFacts]> {
    return this.#facts
  }

  terms(query: string): string[] {
    return this.#text.queryTerms(query).map(({ term }) => term)
  }

  /** Returns the index terms of a word. */
  termsOf(word: string): readonly string[] {
    return getOrMake<string, readonly string[]>(this.#terms, word, () => prose.terms(word))
  }

  /** Returns the information content of a term: higher, the fewer chunks contain it. */
  information(term: string): number {
    return this.#text.information(term)
  }

  /** Returns the information content of a word; 0 for a word that is not indexed. */
  informationOf(word: string): number {
    const [term] = this.termsOf(word)
    return term === undefined ? 0 : this.information(term)
  }

  /** Reads and reports the changes that any process made since the last successful refresh. */
  async refresh(): Promise<IndexChange> {
    const revision = await knowledgeRevision(this.#storage.db)
    if (revision !== this.#revision) {
      for (const source of await sourcesAfter(this.#storage.db, this.#revision))
        await this.#take(source)
      this.#revision = revision
    }
    const goneChunks = [...this.#formerChunks].filter((id) => !this.#facts.has(id))
    const changedSources = [...this.#changedSources]
    this.#formerChunks.clear()
    this.#changedSources.clear()
    return { goneChunks, changedSources }
  }

  async save(): Promise<void> {
    if (this.#file === undefined || this.#unsaved < WORTH_SAVING) return
    this.#unsaved = 0
    await saveTextIndex({ path: this.#file, format: FORMAT }, this.#text, this.#revision)
  }

  async #take(row: SourceRow): Promise<void> {
    this.#forget(row.id)
    if (row.deleted === 1) return
    this.#changedSources.add(row.id)
    const source = toSource(row)
    for (let from = 0; ; from += ROWS_AT_ONCE) {
      const range = { from, to: from + ROWS_AT_ONCE - 1 }
      const rows = await chunksOfSource(this.#storage.db, row.id, range)
      for (const chunk of rows) {
        const parts = partsOf(chunk.parts_json)
        this.#text.set(chunk.id, {
          // The lead repeats words of another chunk, which must not count twice.
          content: chunk.content.slice(chunk.lead_length),
          section: [...new Set(parts.map(({ title }) => title))].join(' '),
          path: pathOf(chunk.section_path_json),
          title: source.title,
        })
        this.#remember(chunk, source)
      }
      this.#unsaved += rows.length
      if (rows.length < ROWS_AT_ONCE) return
    }
  }

  #remember(row: ChunkFactsRow, source: StoredSource): void {
    this.#sources.set(source.id, source)
    const parts = partsOf(row.parts_json)
    this.#facts.set(row.id, {
      source,
      chunkType: row.chunk_type,
      normative: row.normative === null ? null : row.normative === 1,
      clauses: [...new Set(parts.flatMap(({ clause }) => clause ?? []))],
      sectionTitle: parts.map(({ title }) => title).join('\n'),
    })
    getOrMake(this.#bySource, source.id, () => []).push(row.id)
  }

  #forget(sourceId: string): void {
    for (const id of this.#bySource.get(sourceId) ?? []) {
      this.#text.delete(id)
      this.#facts.delete(id)
      this.#formerChunks.add(id)
    }
    this.#changedSources.delete(sourceId)
    this.#bySource.delete(sourceId)
    this.#sources.delete(sourceId)
  }

  /** Loads the saved word index, if it is usable, and the facts of its chunks. */
  async #load(): Promise<void> {
    const saved = this.#file === undefined ? undefined : await loadSaved(this.#file)
    // A file of another database, or from before a backup was restored, is unusable.
    if (!saved || saved.revision > (await knowledgeRevision(this.#storage.db))) return
    const sources = (await sourcesAfter(this.#storage.db, 0)).filter(
      ({ deleted, revision }) => deleted === 0 && revision <= saved.revision,
    )
    const byId = new Map(sources.map((row) => [row.id, toSource(row)]))
    for (const row of await chunkFacts(this.#storage.db, [...byId.keys()])) {
      const source = byId.get(row.source_id)
      if (source && saved.index.has(row.id)) this.#remember(row, source)
    }
    // Drop chunks that are no longer in the database.
    for (const id of Array.from(saved.index.ids())) if (!this.#facts.has(id)) saved.index.delete(id)
    this.#text = saved.index
    this.#revision = saved.revision
    for (const id of byId.keys()) this.#changedSources.add(id)
  }
}

/** Returns the headings above the section's own. */
function pathOf(json: string): string {
  const path: unknown = JSON.parse(json)
  return Array.isArray(path) ? path.slice(0, -1).join(' ') : ''
}

async function loadSaved(
  path: string,
): Promise<{ index: TextIndex<Name>; revision: number } | undefined> {
  try {
    const { index, about } = await loadTextIndex({ path, format: FORMAT }, FIELDS)
    return typeof about === 'number' ? { index, revision: about } : undefined
  } catch (error) {
    if (error instanceof IndexFileError) return undefined
    throw error
  }
}
