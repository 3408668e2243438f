import { DECLARES, type ImportRef } from './import-ref.ts'
import type { ProjectFiles } from './project-files.ts'
import { createResolvers } from './resolvers.ts'

export interface Edge {
  readonly source: string
  /** Null for what lies outside the project. */
  readonly target: string | null
  readonly module: string
  readonly symbol: string | null
  readonly type: 'import' | 'reference' | 'call'
  readonly kind: string
  readonly line: number
}

/** What a file contributes: its language and what it refers to. */
export interface GraphFile {
  readonly path: string
  readonly language: string
  readonly imports: readonly ImportRef[]
}

/** Which file needs which, both ways. Made anew when files come or go, because any name may then mean another file. */
export class DependencyGraph {
  readonly #files: ProjectFiles
  readonly #resolverOf: ReturnType<typeof createResolvers>
  readonly #outgoing = new Map<string, readonly Edge[]>()
  readonly #incoming = new Map<string, Edge[]>()

  constructor(files: ProjectFiles, sources: Iterable<GraphFile> = []) {
    this.#files = files
    this.#resolverOf = createResolvers(files)
    for (const source of sources) this.set(source)
  }

  /** Takes in what a file refers to, in place of what it did before. */
  set({ path, language, imports }: GraphFile): void {
    this.#forget(path)
    const asked = imports.filter(({ kind }) => kind !== DECLARES)
    if (asked.length === 0) return
    const resolve = this.#resolverOf(language)
    const edges = new Map<string, Edge>()
    for (const reference of asked) {
      const targets = resolve(path, reference).filter((target) => target !== path)
      for (const target of targets.length > 0 ? targets : [null]) {
        const edge = toEdge(path, target, reference)
        const key = `${target ?? ''}\0${edge.module}\0${edge.symbol ?? ''}`
        if (!edges.has(key)) edges.set(key, edge)
      }
    }
    this.#outgoing.set(path, [...edges.values()])
    for (const edge of edges.values()) this.#receive(edge)
  }

  /** True when what a file says decides how the imports of others are understood. */
  isRuledBy(path: string): boolean {
    return this.#files.wasRead(path)
  }

  dependencies(path: string): readonly Edge[] {
    return this.#outgoing.get(path) ?? []
  }

  dependents(path: string): readonly Edge[] {
    return this.#incoming.get(path) ?? []
  }

  get edges(): readonly Edge[] {
    return [...this.#outgoing.values()].flat()
  }

  /** How much of the project leans on a file, 0..1: the ranking's prior. */
  centrality(): (path: string) => number {
    const counts = new Map<string, number>()
    let most = 1
    for (const [path, edges] of this.#incoming) {
      const importers = new Set(
        edges.filter(({ type }) => type === 'import').map(({ source }) => source),
      )
      counts.set(path, importers.size)
      most = Math.max(most, importers.size)
    }
    return (path) => Math.log1p(counts.get(path) ?? 0) / Math.log1p(most)
  }

  #receive(edge: Edge): void {
    if (edge.target === null) return
    const incoming = this.#incoming.get(edge.target)
    if (incoming) incoming.push(edge)
    else this.#incoming.set(edge.target, [edge])
  }

  #forget(path: string): void {
    for (const { target } of this.#outgoing.get(path) ?? []) {
      const incoming = target === null ? undefined : this.#incoming.get(target)
      if (target !== null && incoming)
        this.#incoming.set(
          target,
          incoming.filter(({ source }) => source !== path),
        )
    }
    this.#outgoing.delete(path)
  }
}

function toEdge(source: string, target: string | null, reference: ImportRef): Edge {
  const { specifier: module, names, type = 'import', kind, line } = reference
  return {
    source,
    target,
    module,
    symbol: names?.length ? names.join(', ') : null,
    type,
    kind,
    line,
  }
}
