import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DependencyGraph, type GraphFile } from '../../graph/dependency-graph.ts'
import { declaredBy } from '../../graph/import-ref.ts'
import { offeredNames } from '../../graph/offered-names.ts'
import { type ProjectFiles, createProjectFiles } from '../../graph/project-files.ts'
import { readText } from '../../../../base/git/read-git.ts'
import { TimeSlice } from '../time-slice.ts'
import type { FileRecord } from './file-record.ts'
import { type Rule, type SavedGraph, packLinks, unpackLinks } from './saved-graph.ts'

const MAX_TRIES = 3

export interface GraphSources {
  readonly root: string
  readonly files: ReadonlyMap<string, FileRecord>
  /** Returns the files whose text contains a name. */
  readonly mentioning: (name: string) => Iterable<string>
}

/** The dependency graph of an index: built when needed, updated with each file, saved with it. */
export class ProjectGraph {
  readonly #sources: GraphSources
  #graph: DependencyGraph | undefined
  #central: ((path: string) => number) | undefined
  /** The graph loaded with the index, until it is used or outdated. */
  #saved: SavedGraph | undefined
  /** Manifests that determined how imports were resolved, as they were then. */
  readonly #rules = new Map<string, Rule>()
  /** Files whose imports have changed since they were linked. */
  readonly #stale = new Set<string>()
  /** Increased when a graph under construction becomes outdated. */
  #version = 0

  constructor(sources: GraphSources) {
    this.#sources = sources
  }

  get current(): DependencyGraph {
    const graph = this.#graph ?? this.#restored() ?? this.#built()
    for (const path of this.#stale) {
      const record = this.#sources.files.get(path)
      if (record) graph.set(toSource(path, record))
    }
    this.#stale.clear()
    return graph
  }

  /** Builds the graph in slices, so that other work can run; for callers that do not wait. */
  async prepare(slice: TimeSlice = new TimeSlice()): Promise<void> {
    if (this.#saved) this.#restored()
    for (let tries = 0; !this.#graph && tries < MAX_TRIES; tries++) {
      const version = this.#version
      const graph = this.#empty()
      for (const [path, record] of this.#sources.files) {
        graph.set(toSource(path, record))
        if (slice.isOver) await slice.yieldToLoop()
        if (version !== this.#version || this.#graph) break
      }
      if (version === this.#version && !this.#graph) this.#use(graph)
    }
  }

  /** Call it for every file that was added, replaced or removed. */
  change(path: string, before: FileRecord | undefined, after: FileRecord | undefined): void {
    this.#version++
    const isElsewhere = !before || !after || !sameNames(before, after)
    if (isElsewhere || this.#rules.has(path)) this.#forget()
    else this.#stale.add(path)
  }

  /** Call it once for an index that was loaded. */
  useSaved(saved: SavedGraph): void {
    const weights = new Map(saved.paths.map((path, at) => [path, saved.central[at] ?? 0]))
    this.#central = (path) => weights.get(path) ?? 0
    this.#saved = saved
    for (const rule of saved.rules) this.#rules.set(rule[0], rule)
  }

  /** Returns the graph to save, for these files in this order. */
  toSaved(paths: readonly string[]): Omit<SavedGraph, 'paths'> {
    const { current } = this
    const central = current.centrality()
    return {
      central: paths.map((path) => Math.round(1_000 * central(path)) / 1_000),
      links: packLinks(paths, (path) => current.linksOf(path)),
      rules: [...this.#rules.values()],
    }
  }

  /** Uses the last graph: centrality changes slowly, and a search does not wait for a new graph. */
  centrality(path: string): number {
    if (!this.#central) this.#central = this.current.centrality()
    return this.#central(path)
  }

  #built(): DependencyGraph {
    const graph = this.#empty()
    for (const [path, record] of this.#sources.files) graph.set(toSource(path, record))
    return this.#use(graph)
  }

  #restored(): DependencyGraph | undefined {
    const saved = this.#saved
    if (!saved) return undefined
    this.#saved = undefined
    if (!saved.rules.every((rule) => this.#isSame(rule))) return undefined
    const graph = this.#empty()
    for (const [path, links] of unpackLinks(saved)) {
      const record = this.#sources.files.get(path)
      if (record && !this.#stale.has(path)) graph.set(toSource(path, record), links)
    }
    this.#graph = graph
    return graph
  }

  #use(graph: DependencyGraph): DependencyGraph {
    this.#graph = graph
    this.#central = graph.centrality()
    this.#stale.clear()
    return graph
  }

  #forget(): void {
    this.#graph = undefined
    this.#saved = undefined
    this.#rules.clear()
    this.#stale.clear()
  }

  #empty(): DependencyGraph {
    return new DependencyGraph(() => this.#projectFiles())
  }

  #projectFiles(): ProjectFiles {
    const { files, mentioning } = this.#sources
    const offered = new Map<string, readonly string[]>()
    return createProjectFiles([...files.keys()], (path) => this.#readRule(path), {
      declared: [...files].map(([path, { imports }]) => [path, declaredBy(imports)] as const),
      offers(path) {
        const record = files.get(path)
        const names =
          offered.get(path) ?? (record ? offeredNames(record.language, record.symbols) : [])
        offered.set(path, names)
        return names
      },
      mentioning,
    })
  }

  /** Reads a manifest such as package.json, which applies even if it is not indexed itself. */
  #readRule(path: string): string | undefined {
    try {
      const file = join(this.#sources.root, path)
      const { mtimeMs, size } = statSync(file)
      this.#rules.set(path, [path, mtimeMs, size])
      return readText(file)
    } catch {
      return undefined
    }
  }

  #isSame([path, mtimeMs, size]: Rule): boolean {
    const now = statSync(join(this.#sources.root, path), { throwIfNoEntry: false })
    return now?.mtimeMs === mtimeMs && now.size === size
  }
}

function toSource(path: string, { language, imports }: FileRecord): GraphFile {
  return { path, language, imports }
}

/** Whether other files may import this file and its symbols by the same names as before. */
function sameNames(before: FileRecord, after: FileRecord): boolean {
  return knownAs(before) === knownAs(after)
}

/** Leaves out constants, because the scanner and the parser find different ones. */
function knownAs({ language, symbols, imports }: FileRecord): string {
  const lasting = symbols.filter(({ type }) => type !== 'constant')
  return [...declaredBy(imports), ...offeredNames(language, lasting)].join()
}
