import type { ImportRef } from './import-ref.ts'
import type { ProjectFiles } from './project-files.ts'
import { createResolvers } from './resolvers.ts'

export interface Edge {
  readonly source: string
  /** Null for what lies outside the project. */
  readonly target: string | null
  readonly module: string
  readonly symbol: string | null
  readonly type: 'import' | 'reference'
  readonly kind: string
  readonly line: number
}

/** What a file contributes: its language and what it refers to. */
export interface GraphFile {
  readonly path: string
  readonly language: string
  readonly imports: readonly ImportRef[]
}

/** Which file needs which, both ways. Immutable: made anew from the files when they change, which is cheap. */
export class DependencyGraph {
  readonly #outgoing = new Map<string, Edge[]>()
  readonly #incoming = new Map<string, Edge[]>()

  constructor(sources: Iterable<GraphFile>, files: ProjectFiles) {
    const resolverOf = createResolvers(files)
    for (const { path, language, imports } of sources) {
      if (imports.length === 0) continue
      const resolve = resolverOf(language)
      for (const reference of imports) {
        const targets = resolve(path, reference).filter((target) => target !== path)
        for (const target of targets.length > 0 ? targets : [null])
          this.#add(toEdge(path, target, reference))
      }
    }
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

  #add(edge: Edge): void {
    const outgoing = this.#outgoing.get(edge.source)
    if (!outgoing) this.#outgoing.set(edge.source, [edge])
    else if (outgoing.some((known) => isSame(known, edge))) return
    else outgoing.push(edge)
    if (edge.target === null) return
    const incoming = this.#incoming.get(edge.target)
    if (incoming) incoming.push(edge)
    else this.#incoming.set(edge.target, [edge])
  }
}

function isSame(a: Edge, b: Edge): boolean {
  return a.target === b.target && a.module === b.module && a.symbol === b.symbol
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
