import { hash } from 'node:crypto'
import { basename, join } from 'node:path'
import { CodeIndex } from '../../../../search/code/code-index.ts'
import type { TextModel } from '../../../../search/code/code-meaning.ts'
import type { DependencyGraph } from '../../graph/dependency-graph.ts'
import type { FoundProject } from '../../project/find-project.ts'
import { readGit } from '../../../../base/git/read-git.ts'
import { scanFile } from '../../scan/scan-file.ts'
import { WalkMemory } from '../../walk/sort-folders.ts'
import type { WalkedFile } from '../../walk/walk.ts'
import { languageById } from '../../languages/languages.ts'
import type { TimeSlice } from '../time-slice.ts'
import { ExcludedFiles } from './excluded-files.ts'
import type { FileRecord } from './file-record.ts'
import type { IndexSettings } from './index-settings.ts'
import { ProjectGraph } from './project-graph.ts'
import { readSource } from '../../parse/read-source.ts'
import {
  type EmbeddingModel,
  type IndexIdentity,
  LAYOUT,
  type SavedIndex,
  packRecords,
  unpackRecord,
} from './saved-index.ts'

/** File system clocks are coarse: a file written this shortly before reading may change unseen. */
const CLOCK_GRAIN_MS = 1_000

/** The searchable content of one working tree, in memory; `refresh` decides which files. */
export class ProjectIndex {
  readonly project: FoundProject
  readonly lexical: CodeIndex
  readonly files: Map<string, FileRecord>
  readonly walked = new WalkMemory()
  readonly excluded = new ExcludedFiles()
  /** True during the first build, when statements about the whole project do not hold yet. */
  isPartial = false
  #identity: IndexIdentity
  readonly #graph: ProjectGraph

  private constructor(project: FoundProject, identity: IndexIdentity, lexical: CodeIndex) {
    this.project = project
    this.lexical = lexical
    this.files = new Map()
    this.#identity = identity
    this.#graph = new ProjectGraph({
      root: project.root,
      files: this.files,
      mentioning: (name) => lexical.mentioning(name),
    })
    lexical.useName(basename(project.root))
    lexical.useTexts((path) => this.text(path))
    lexical.useCentrality((path) => (this.isPartial ? 0 : this.#graph.centrality(path)))
  }

  static empty(
    project: FoundProject,
    name: string,
    settings: IndexSettings,
    model?: TextModel,
  ): ProjectIndex {
    const now = new Date().toISOString()
    const { root, identity } = project
    return new ProjectIndex(
      project,
      {
        name,
        root,
        identity,
        settings,
        createdAt: now,
        updatedAt: now,
        elapsedSeconds: 0,
        embedding: null,
        ...headOf(project),
      },
      new CodeIndex({ model }),
    )
  }

  static restore(project: FoundProject, lexical: CodeIndex, saved: SavedIndex): ProjectIndex {
    const { files, excluded, excludedReasons, graph, layout: _, ...identity } = saved
    const index = new ProjectIndex(project, { ...identity, root: project.root }, lexical)
    for (const packed of files) index.files.set(...unpackRecord(packed))
    index.#graph.useSaved({ ...graph, paths: [...index.files.keys()] })
    index.excluded.restore({ excluded, excludedReasons })
    return index
  }

  get identity(): IndexIdentity {
    return this.#identity
  }

  /** True when the file must be read to know whether it changed. */
  isSuspect({ path, size, mtimeMs }: WalkedFile): boolean {
    const known = this.files.get(path)
    if (!known || known.size !== size || known.mtimeMs !== mtimeMs) return true
    return known.readAtMs - known.mtimeMs < CLOCK_GRAIN_MS
  }

  /** Reads a file and indexes it if its content is new. */
  take(file: WalkedFile): 'added' | 'updated' | 'unchanged' | 'excluded' {
    const { path, size, mtimeMs } = file
    const readAtMs = Date.now()
    const source = readSource(join(this.project.root, path))
    if (source.kind !== 'text') {
      this.excluded.add({ path, reason: source.kind })
      return this.drop(path) ? 'updated' : 'excluded'
    }
    const contentHash = hash('sha1', source.bytes, 'base64url')
    const known = this.files.get(path)
    if (known?.hash === contentHash) {
      this.files.set(path, { ...known, size, mtimeMs, readAtMs })
      return 'unchanged'
    }
    const scanned = scanFile(path, source.text, this.#identity.settings.chunks)
    this.lexical.set(scanned.code)
    const { language, languageId, lines, symbols, blocks, imports } = scanned
    const record: FileRecord = {
      size,
      mtimeMs,
      readAtMs,
      hash: contentHash,
      language,
      languageId,
      lines,
      symbols,
      blocks,
      imports,
      ranges: scanned.code.chunks.flatMap(({ startLine, endLine }) => [startLine, endLine]),
      parse: { status: initialStatus(language) },
    }
    this.files.set(path, record)
    this.#graph.change(path, known, record)
    return known ? 'updated' : 'added'
  }

  drop(path: string): boolean {
    const known = this.files.get(path)
    if (!known) return false
    this.files.delete(path)
    this.lexical.delete(path)
    this.#graph.change(path, known, undefined)
    return true
  }

  /** Replaces what the scanner guessed by what a parser found, unless the file has changed. */
  refine(
    path: string,
    contentHash: string,
    found: Pick<FileRecord, 'parse'> & Partial<Pick<FileRecord, 'symbols'>>,
  ): void {
    const known = this.files.get(path)
    if (known?.hash === contentHash) this.files.set(path, { ...known, ...found })
  }

  get graph(): DependencyGraph {
    return this.#graph.current
  }

  /** Builds the graph in the background. */
  async prepareGraph(slice?: TimeSlice): Promise<void> {
    return this.#graph.prepare(slice)
  }

  /** Records the current time, branch and commit as those of the content. */
  touch(elapsedSeconds = this.#identity.elapsedSeconds): void {
    const updatedAt = new Date().toISOString()
    this.#identity = { ...this.#identity, updatedAt, elapsedSeconds, ...headOf(this.project) }
  }

  noteEmbedding(embedding: EmbeddingModel | null): void {
    this.#identity = { ...this.#identity, embedding }
  }

  /** Returns the whole text of an indexed file, as it is on disk. */
  text(path: string): string | undefined {
    if (!this.files.has(path)) return undefined
    try {
      const source = readSource(join(this.project.root, path))
      return source.kind === 'text' ? source.text : undefined
    } catch {
      return undefined
    }
  }

  toSaved(): SavedIndex {
    return {
      ...this.#identity,
      layout: LAYOUT,
      files: packRecords(this.files),
      graph: this.#graph.toSaved([...this.files.keys()]),
      ...this.excluded.toSaved(),
    }
  }
}

/** Prose, markup (except CSS) and configuration are not parsed; code waits for its parser. */
function initialStatus(languageId: string): FileRecord['parse']['status'] {
  const language = languageById(languageId)
  if (
    !language ||
    language.family === 'prose' ||
    language.family === 'config' ||
    language.family === 'markup'
  ) {
    return language?.grammar === 'css' ? 'pending' : 'skipped'
  }
  return language.grammar === undefined ? 'no_grammar' : 'pending'
}

function headOf(project: FoundProject): { branch: string | null; commit: string | null } {
  const git = project.git && readGit(project.git.root)
  return { branch: git?.branch ?? null, commit: git?.commit ?? null }
}
