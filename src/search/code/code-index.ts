import { type Analyser, defineAnalyser } from '../analyse/analyser.ts'
import { FieldIndex, type FieldIndexState } from '../lexical/field-index.ts'
import type { Field } from '../lexical/field.ts'
import { withRoom } from '../lexical/growable.ts'
import type { CodeFile, CodeHit } from './code-file.ts'
import { type CodeQuery, parseCodeQuery } from './code-query.ts'
import { CODE_WEIGHTS, type CodeWeights } from './code-weights.ts'
import { fileRole } from './file-role.ts'
import { type PathWords, pathWords } from './path-words.ts'

export interface CodeSearch {
  readonly limit?: number
  readonly minScore?: number
  /** Which chunks may be answered at all: language, symbol and path filters. */
  readonly accept?: (path: string, chunk: number) => boolean
}

export interface CodeIndexState {
  readonly lexical: FieldIndexState
  /** Path, first chunk and number of chunks of every file. */
  readonly files: readonly (readonly [path: string, first: number, count: number])[]
  readonly startLines: Uint32Array
  readonly endLines: Uint32Array
}

export interface CodeIndexOptions {
  readonly weights?: CodeWeights
  /** How central a file is among the others, 0..1: what the import graph knows. */
  readonly centrality?: (path: string) => number
}

interface IndexedFile {
  readonly path: string
  readonly first: number
  readonly count: number
  words?: PathWords
}

const EXACT = 3
const SPACE_TO_RECLAIM = 0.3
const SMALL = 1000

/** Ranked search over the chunks of a project's files; changed file by file. */
export class CodeIndex {
  readonly #weights: CodeWeights
  readonly #fields: readonly Field[]
  #lexical: FieldIndex
  readonly #files = new Map<string, IndexedFile>()
  /** The file of every chunk, those of removed files included. */
  #fileOf: IndexedFile[] = []
  #startLines: Uint32Array
  #endLines: Uint32Array
  #centrality: (path: string) => number

  constructor(options: CodeIndexOptions = {}, state?: CodeIndexState) {
    this.#weights = options.weights ?? CODE_WEIGHTS
    this.#centrality = options.centrality ?? (() => 0)
    this.#fields = codeFields(this.#weights)
    this.#lexical = new FieldIndex(this.#fields, state?.lexical)
    this.#startLines = state?.startLines ?? new Uint32Array(64)
    this.#endLines = state?.endLines ?? new Uint32Array(64)
    for (const [path, first, count] of state?.files ?? []) this.#own({ path, first, count })
  }

  get size(): number {
    return this.#files.size
  }

  get chunkCount(): number {
    return this.#lexical.size
  }

  has(path: string): boolean {
    return this.#files.has(path)
  }

  paths(): Iterable<string> {
    return this.#files.keys()
  }

  /** Adds a file, or replaces the one at that path. */
  set(file: CodeFile): void {
    this.delete(file.path)
    const first = this.#lexical.numbered
    for (const chunk of file.chunks) {
      const names = chunk.definitions.join(' ')
      const document = this.#lexical.add([chunk.text, file.path, names, names])
      this.#startLines = withRoom(this.#startLines, document + 1)
      this.#endLines = withRoom(this.#endLines, document + 1)
      this.#startLines[document] = chunk.startLine
      this.#endLines[document] = chunk.endLine
    }
    this.#own({ path: file.path, first, count: file.chunks.length })
  }

  delete(path: string): boolean {
    const file = this.#files.get(path)
    if (!file) return false
    for (let n = 0; n < file.count; n++) this.#lexical.remove(file.first + n)
    this.#files.delete(path)
    this.#reclaim()
    return true
  }

  useCentrality(centrality: (path: string) => number): void {
    this.#centrality = centrality
  }

  /** Best first; empty when nothing matches. */
  search(text: string, options: CodeSearch = {}): CodeHit[] {
    const { limit = 10, minScore = 0 } = options
    const query = parseCodeQuery(text)
    const pool = this.#candidates(query, options)
    return this.#rank(query, pool)
      .filter(({ score }) => score >= minScore)
      .slice(0, limit)
  }

  #candidates(query: CodeQuery, options: CodeSearch): Map<number, number> {
    const accept =
      options.accept &&
      ((document: number) => {
        const file = this.#fileAt(document)
        return options.accept?.(file.path, document - file.first) ?? true
      })
    const terms = query.stems.map((term) => ({ term, weight: 1 }))
    const found = this.#lexical.search(terms, { limit: this.#weights.pool, accept })
    const pool = new Map(found.map(({ document, score }) => [document, score]))
    for (const name of query.names)
      this.#lexical.forEachPosting(`=${name}`, (document) => {
        if (!pool.has(document) && (!accept || accept(document))) pool.set(document, 0)
      })
    return pool
  }

  #rank(query: CodeQuery, pool: ReadonlyMap<number, number>): CodeHit[] {
    const top = Math.max(...pool.values(), 1e-9)
    const sums = new Map<IndexedFile, number>()
    for (const [document, score] of pool) {
      const file = this.#fileAt(document)
      sums.set(file, (sums.get(file) ?? 0) + score)
    }
    const topSum = Math.max(...sums.values(), 1e-9)
    const defining = this.#defining(query)
    const ranked = [...pool]
      .toSorted((a, b) => b[1] - a[1])
      .map(([document, score], rank) => {
        const file = this.#fileAt(document)
        const base = 0.5 * (score / top) + (0.5 * 61) / (61 + rank)
        const boost = this.#boost(query, file, defining.has(document))
        const coherence = (this.#weights.coherence * (sums.get(file) ?? 0)) / topSum
        return {
          document,
          file,
          score: (base + coherence + boost) * this.#weights.role[fileRole(file.path)],
        }
      })
      .toSorted((a, b) => b.score - a.score)
    return this.#spread(ranked)
  }

  #boost(query: CodeQuery, file: IndexedFile, defines: boolean): number {
    const weights = this.#weights
    const words = (file.words ??= pathWords(file.path))
    let boost = 0
    if (query.kind === 'symbol') {
      if (defines) boost += weights.definition
      if (defines && query.names.includes(words.name)) boost *= weights.nameIsSymbol
      return boost
    }
    if (defines) boost += weights.mentionedDefinition
    const matched =
      share(query.stems, words.nameStems) +
      weights.folderMatch * share(query.stems, words.folderStems)
    return boost + weights.pathMatch * matched + weights.centrality * this.#centrality(file.path)
  }

  /** Each further chunk of a file counts less, so that one file does not fill the answer. */
  #spread(ranked: readonly { document: number; file: IndexedFile; score: number }[]): CodeHit[] {
    const seen = new Map<IndexedFile, number>()
    const best = ranked[0]?.score ?? 1
    return ranked
      .map(({ document, file, score }) => {
        const times = seen.get(file) ?? 0
        seen.set(file, times + 1)
        return {
          path: file.path,
          chunk: document - file.first,
          startLine: this.#startLines[document] ?? 0,
          endLine: this.#endLines[document] ?? 0,
          score: (score * this.#weights.repeat ** times) / best,
        }
      })
      .toSorted((a, b) => b.score - a.score)
  }

  #defining(query: CodeQuery): ReadonlySet<number> {
    const defining = new Set<number>()
    for (const name of query.names)
      this.#lexical.forEachPosting(`=${name}`, (document) => defining.add(document))
    return defining
  }

  state(): CodeIndexState {
    const count = this.#lexical.numbered
    return {
      lexical: this.#lexical.state(),
      files: [...this.#files.values()].map(({ path, first, count: chunks }) => [
        path,
        first,
        chunks,
      ]),
      startLines: this.#startLines.slice(0, count),
      endLines: this.#endLines.slice(0, count),
    }
  }

  #own(file: IndexedFile): void {
    this.#files.set(file.path, file)
    for (let n = 0; n < file.count; n++) this.#fileOf[file.first + n] = file
  }

  /** Gives back the space of removed chunks once they are many; the chunks of a file stay together. */
  #reclaim(): void {
    const { numbered, size } = this.#lexical
    if (numbered < SMALL || numbered - size < numbered * SPACE_TO_RECLAIM) return
    const { index, numbers } = this.#lexical.compact()
    const files = [...this.#files.values()]
    const startLines = new Uint32Array(size)
    const endLines = new Uint32Array(size)
    for (const [old, number] of numbers.entries()) {
      if (number < 0) continue
      startLines[number] = this.#startLines[old] ?? 0
      endLines[number] = this.#endLines[old] ?? 0
    }
    this.#lexical = index
    this.#startLines = startLines
    this.#endLines = endLines
    this.#fileOf = []
    for (const file of files) this.#own({ ...file, first: Math.max(0, numbers[file.first] ?? 0) })
  }

  #fileAt(document: number): IndexedFile {
    const file = this.#fileOf[document]
    if (!file) throw new RangeError(`No file has chunk ${document}`)
    return file
  }
}

function codeFields(weights: CodeWeights): Field[] {
  const identifiers = defineAnalyser({ identifiers: true, stem: true })
  const exact: Analyser = {
    words: (text) => identifiers.words(text),
    terms: (word) => [`=${word.toLowerCase()}`],
  }
  const fields: Field[] = [
    { analyser: identifiers, weight: weights.body },
    { analyser: identifiers, weight: weights.path, lengthPenalty: 0 },
    { analyser: identifiers, weight: weights.names, lengthPenalty: 0 },
  ]
  fields[EXACT] = { analyser: exact, weight: 0, lengthPenalty: 0 }
  return fields
}

function share(wanted: readonly string[], given: readonly string[]): number {
  if (wanted.length === 0) return 0
  const matched = wanted.reduce((sum, word) => sum + match(word, given), 0) / wanted.length
  return matched >= 0.1 ? matched : 0
}

function match(word: string, given: readonly string[]): number {
  if (given.includes(word)) return 1
  const near = given.some(
    (other) =>
      Math.min(word.length, other.length) >= 4 &&
      (word.startsWith(other) || other.startsWith(word)),
  )
  return near ? 0.8 : 0
}
