import { type Analyser, defineAnalyser } from '../analyse/analyser.ts'
import { FieldIndex, type FieldIndexState } from '../lexical/field-index.ts'
import type { Field } from '../lexical/field.ts'
import { withRoom } from '../lexical/growable.ts'
import type { CodeFile, CodeHit } from './code-file.ts'
import type { CodeFeatures } from './code-features.ts'
import {
  CodeMeaning,
  type CodeMeaningState,
  type Nearness,
  type TextModel,
} from './code-meaning.ts'
import { type CodeQuery, parseCodeQuery } from './code-query.ts'
import { weightsFor } from './code-weights.ts'
import { Packages } from './packages.ts'
import { fileName } from './path-words.ts'
import {
  BODY,
  EXACT,
  type IndexedFile,
  NAMES,
  PATH,
  type RankedFile,
  rankFiles,
} from './rank-files.ts'
import { PassageRanker } from './rank-passages.ts'
import { spreadChunks } from './spread-chunks.ts'

export interface CodeSearch {
  readonly limit?: number
  readonly minScore?: number
  /** Which chunks may be in the answer: language, symbol and path filters. */
  readonly accept?: (path: string, chunk: number) => boolean
}

export interface CodeIndexState {
  readonly lexical: FieldIndexState
  /** Path, first chunk and number of chunks of every file. */
  readonly files: readonly (readonly [path: string, first: number, count: number])[]
  readonly startLines: Uint32Array
  readonly endLines: Uint32Array
  /** Set if the index has vectors; the files are in the order above. */
  readonly meaning?: CodeMeaningState | undefined
}

export interface CodeIndexOptions {
  /** Adds ranking by meaning; without it, only words rank. */
  readonly model?: TextModel | undefined
}

/** A hit with the features of its file; weights times features decide its place. */
export interface ExplainedCodeHit extends CodeHit {
  readonly kind: CodeQuery['kind']
  readonly features: CodeFeatures
}

const NOTHING: Omit<CodeIndexState, 'lexical'> = {
  files: [],
  startLines: new Uint32Array(0),
  endLines: new Uint32Array(0),
}

/**
 * A file without any word of the query must be at least this near: a farther one is the nearest
 * only by chance.
 */
const NEAR_ALONE = 0.25

const SPACE_TO_RECLAIM = 0.3
const SMALL = 1000

/** Ranked search over the chunks of a project's files; updated file by file. */
export class CodeIndex {
  readonly #fields: readonly Field[]
  #lexical: FieldIndex
  readonly #files = new Map<string, IndexedFile>()
  #project = ''
  /** Undefined until it is needed, and after a file was added or removed. */
  #packages: Packages | undefined
  /** The file of every chunk, those of removed files included. */
  #fileOf: IndexedFile[] = []
  #startLines: Uint32Array
  #endLines: Uint32Array
  #meaning: CodeMeaning | undefined
  /** The file of every file number. */
  #numbered: (IndexedFile | undefined)[] = []
  /** How central a file is in the import graph, 0..1. */
  #centrality: (path: string) => number = () => 0
  /** Caches vectors by chunk number, so it is replaced when the numbers change. */
  #passages: PassageRanker | undefined
  #textOf: ((path: string) => string | undefined) | undefined

  constructor({ model }: CodeIndexOptions = {}, state?: CodeIndexState) {
    this.#fields = codeFields()
    this.#lexical = new FieldIndex(this.#fields, state?.lexical)
    const { startLines, endLines, files, meaning } = state ?? NOTHING
    this.#startLines = startLines
    this.#endLines = endLines
    this.#meaning = model && new CodeMeaning(model, meaning)
    this.#passages = model && new PassageRanker(model)
    for (const [path, first, count] of files) this.#own(path, first, count)
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
    const packages = this.#files.has(file.path) ? this.#packages : undefined
    this.delete(file.path)
    this.#packages = packages
    const first = this.#lexical.numbered
    for (const chunk of file.chunks) {
      const names = chunk.definitions.join(' ')
      const called = this.#lexical.numbered === first ? `\n${fileName(file.path)}` : ''
      const document = this.#lexical.add([chunk.text, file.path, names, names + called])
      this.#startLines = withRoom(this.#startLines, document + 1)
      this.#endLines = withRoom(this.#endLines, document + 1)
      this.#startLines[document] = chunk.startLine
      this.#endLines[document] = chunk.endLine
    }
    const { number } = this.#own(file.path, first, file.chunks.length)
    this.#meaning?.add(file, first, number)
  }

  delete(path: string): boolean {
    const file = this.#files.get(path)
    if (!file) return false
    for (let n = 0; n < file.count; n++) this.#lexical.remove(file.first + n)
    this.#files.delete(path)
    this.#packages = undefined
    this.#numbered[file.number] = undefined
    this.#meaning?.remove(file.number)
    this.#reclaim()
    return true
  }

  /** Returns the files whose text contains an identifier, ignoring case. */
  mentioning(identifier: string): ReadonlySet<string> {
    const found = new Set<string>()
    // The last term of a compound is the whole identifier.
    const term = this.#fields[BODY]?.analyser.terms(identifier).at(-1)
    if (term !== undefined)
      this.#lexical.forEachPosting(term, (document) => found.add(this.#fileAt(document).path))
    return found
  }

  useCentrality(centrality: (path: string) => number): void {
    this.#centrality = centrality
  }

  /** Sets the name of the project, which one of its packages may share. */
  useName(project: string): void {
    this.#project = project
    this.#packages = undefined
  }

  /** Sets how file texts are read; without it, the best lines of a file do not count. */
  useTexts(textOf: (path: string) => string | undefined): void {
    this.#textOf = textOf
  }

  /** Best first; empty when nothing matches. */
  search(text: string, options: CodeSearch = {}): CodeHit[] {
    return this.explain(text, options).map(({ path, chunk, startLine, endLine, score }) => ({
      path,
      chunk,
      startLine,
      endLine,
      score,
    }))
  }

  /** Returns the same hits, each with the features that ranked its file. */
  explain(text: string, options: CodeSearch = {}): ExplainedCodeHit[] {
    const { limit = 10, minScore = 0, accept } = options
    const query = parseCodeQuery(text)
    // A bare name has no meaning beyond its letters.
    const nearness = query.kind === 'symbol' ? undefined : this.#meaning?.nearness(query.text)
    const ranked = rankFiles(query, {
      lexical: this.#lexical,
      weights: weightsFor(query),
      centrality: this.#centrality,
      nearness,
      numbered: (number) => this.#numbered[number],
      has: (path) => this.#files.has(path),
      packages: (this.#packages ??= new Packages([...this.#files.keys()], this.#project)),
      fileAt: (document) => this.#fileAt(document),
      accept:
        accept &&
        ((document) => {
          const file = this.#fileAt(document)
          return accept(file.path, document - file.first)
        }),
    })
    return spreadChunks(this.#byPassages(query, ranked, nearness), limit)
      .filter(({ score, features }) => score >= minScore && isFound(features))
      .map(({ file, document, score, features }) => ({
        path: file.path,
        chunk: document - file.first,
        startLine: this.#startLines[document] ?? 0,
        endLine: this.#endLines[document] ?? 0,
        score,
        kind: query.kind,
        features,
      }))
  }

  /** Returns the state without copying it: valid until the next change. */
  state(): CodeIndexState {
    const count = this.#lexical.numbered
    return {
      lexical: this.#lexical.state(),
      files: [...this.#files.values()].map(({ path, first, count: chunks }) => [
        path,
        first,
        chunks,
      ]),
      startLines: this.#startLines.subarray(0, count),
      endLines: this.#endLines.subarray(0, count),
      meaning: this.#meaning?.state(
        count,
        [...this.#files.values()].map(({ number }) => number),
      ),
    }
  }

  #byPassages(
    query: CodeQuery,
    ranked: readonly RankedFile[],
    nearness: Nearness | undefined,
  ): readonly RankedFile[] {
    const textOf = this.#textOf
    if (!nearness || !textOf || !this.#passages) return ranked
    return this.#passages.rank(ranked, {
      query: query.text,
      nearness,
      weights: weightsFor(query),
      textOf,
      rangeOf: (document) => [this.#startLines[document] ?? 0, this.#endLines[document] ?? 0],
    })
  }

  #own(path: string, first: number, count: number): IndexedFile {
    const file = { path, first, count, number: this.#numbered.length }
    this.#numbered.push(file)
    this.#files.set(path, file)
    for (let n = 0; n < count; n++) this.#fileOf[first + n] = file
    return file
  }

  /** Frees the space of removed chunks once there are many; the chunks of a file stay together. */
  #reclaim(): void {
    const { numbered, size } = this.#lexical
    if (numbered < SMALL || numbered - size < numbered * SPACE_TO_RECLAIM) return
    const { index, numbers } = this.#lexical.compact()
    const files = [...this.#files.values()]
    const startLines = new Uint32Array(size)
    const endLines = new Uint32Array(size)
    const kept: number[] = []
    for (const [old, number] of numbers.entries()) {
      if (number < 0) continue
      kept[number] = old
      startLines[number] = this.#startLines[old] ?? 0
      endLines[number] = this.#endLines[old] ?? 0
    }
    this.#lexical = index
    this.#startLines = startLines
    this.#endLines = endLines
    this.#meaning = this.#meaning?.renumbered(
      kept,
      files.map(({ number }) => number),
    )
    this.#passages = this.#meaning && new PassageRanker(this.#meaning.model)
    this.#fileOf = []
    this.#numbered = []
    for (const { path, first, count } of files)
      this.#own(path, Math.max(0, numbers[first] ?? 0), count)
  }

  #fileAt(document: number): IndexedFile {
    const file = this.#fileOf[document]
    if (!file) throw new RangeError(`No file has chunk ${document}`)
    return file
  }
}

function isFound({ covered, defines, spells, nearest, passage }: CodeFeatures): boolean {
  return covered + defines + spells > 0 || Math.max(nearest, passage) >= NEAR_ALONE
}

/**
 * `EXACT` keeps names whole, for look-ups only: those a chunk defines and, after a line end, the
 * file's own.
 */
function codeFields(): Field[] {
  const analyser = defineAnalyser({ identifiers: true, stem: true })
  const whole: Analyser = {
    words(text) {
      const [names = '', file] = text.split('\n')
      return file === undefined ? analyser.words(names) : [...analyser.words(names), `/${file}`]
    },
    terms: (word) =>
      word.startsWith('/') ? [`=${word}`] : [...new Set([`=${word}`, `=${word.toLowerCase()}`])],
  }
  const fields: Field[] = []
  fields[BODY] = { analyser }
  fields[PATH] = { analyser, weight: 1.5, lengthPenalty: 0 }
  fields[NAMES] = { analyser, weight: 1, lengthPenalty: 0 }
  fields[EXACT] = { analyser: whole, weight: 0, lengthPenalty: 0 }
  return fields
}
