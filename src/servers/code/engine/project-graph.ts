import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DependencyGraph, type GraphFile } from '../graph/dependency-graph.ts'
import { declaredBy } from '../graph/import-ref.ts'
import { createProjectFiles } from '../graph/project-files.ts'
import { Breather } from './breathe.ts'
import type { FileRecord } from './file-record.ts'

const MOST_TRIES = 3

/** The dependency graph of the files of an index: made when it is needed, mended when a file changes. */
export class ProjectGraph {
  readonly #root: string
  readonly #files: ReadonlyMap<string, FileRecord>
  #graph: DependencyGraph | undefined
  #central: ((path: string) => number) | undefined
  /** Raised when a graph under construction would not be true any more. */
  #version = 0

  constructor(root: string, files: ReadonlyMap<string, FileRecord>) {
    this.#root = root
    this.#files = files
  }

  get current(): DependencyGraph {
    if (this.#graph) return this.#graph
    const graph = this.#empty()
    for (const source of this.#sources()) graph.set(source)
    return this.#use(graph)
  }

  /** The same in slices, so that others get their turn; for whoever is not waiting for it. */
  async prepare(breather: Breather = new Breather()): Promise<void> {
    for (let tries = 0; !this.#graph && tries < MOST_TRIES; tries++) {
      const version = this.#version
      const graph = this.#empty()
      for (const source of this.#sources()) {
        graph.set(source)
        if (breather.isDue) await breather.breathe()
        if (version !== this.#version || this.#graph) break
      }
      if (version === this.#version && !this.#graph) this.#use(graph)
    }
  }

  /** To be told of every file that was taken in, replaced or dropped. */
  change(path: string, before: FileRecord | undefined, after: FileRecord | undefined): void {
    this.#version++
    const isElsewhere = !before || !after || !sameNames(before, after)
    if (isElsewhere || this.#graph?.isRuledBy(path)) this.#graph = undefined
    else this.#graph?.set({ path, language: after.language, imports: after.imports })
  }

  /** What an index on disk knew, until there is a graph. */
  useCentrality(central: (path: string) => number): void {
    this.#central = central
  }

  /** That of the last graph there was: it changes slowly, and a search does not wait for a new one. */
  centrality(path: string): number {
    if (!this.#central) this.#use(this.current)
    return this.#central?.(path) ?? 0
  }

  #use(graph: DependencyGraph): DependencyGraph {
    this.#graph = graph
    this.#central = graph.centrality()
    return graph
  }

  #empty(): DependencyGraph {
    const declared = [...this.#files].map(
      ([path, { imports }]) => [path, declaredBy(imports)] as const,
    )
    return new DependencyGraph(
      createProjectFiles([...this.#files.keys()], (path) => this.#readManifest(path), declared),
    )
  }

  *#sources(): Generator<GraphFile> {
    for (const [path, { language, imports }] of this.#files) yield { path, language, imports }
  }

  /** Manifests such as package.json rule even where they are not indexed themselves. */
  #readManifest(path: string): string | undefined {
    try {
      return readFileSync(join(this.#root, path), 'utf8')
    } catch {
      return undefined
    }
  }
}

/** Whether others may ask for a file by the same names as before. */
function sameNames(before: FileRecord, after: FileRecord): boolean {
  return declaredBy(before.imports).join() === declaredBy(after.imports).join()
}
