import { getOrMake } from '../../../base/maps.ts'
import { type Alias, DECLARES, type ImportRef } from './import-ref.ts'
import type { ProjectFiles } from './project-files.ts'
import { createResolvers } from './resolve/resolvers.ts'

export interface Edge {
  readonly source: string
  /** Null if it is outside the project. */
  readonly target: string | null
  readonly module: string
  readonly symbol: string | null
  /** Names that the source file renames. */
  readonly aliases?: readonly Alias[]
  readonly type: 'import' | 'reference' | 'call'
  readonly kind: string
  readonly line: number
}

/** A file's contribution to the graph: its language and its references. */
export interface GraphFile {
  readonly path: string
  readonly language: string
  readonly imports: readonly ImportRef[]
}

/** The target files of each reference of a file, in the order of the references. */
export type Links = readonly (readonly string[])[]

interface Linked {
  readonly imports: readonly ImportRef[]
  readonly links: Links
  /** Computed on first use. */
  edges?: readonly Edge[]
}

const NONE: ReadonlySet<string> = new Set()

/**
 * The dependencies between files, in both directions. It is rebuilt when files are added or
 * removed, because any name may then refer to another file.
 */
export class DependencyGraph {
  readonly #resolverOf: ReturnType<typeof createResolvers>
  readonly #files = new Map<string, Linked>()
  readonly #importers = new Map<string, Set<string>>()

  /** `files` is called only when a reference has to be resolved. */
  constructor(files: () => ProjectFiles, sources: Iterable<GraphFile> = []) {
    this.#resolverOf = createResolvers(files)
    for (const source of sources) this.set(source)
  }

  /** Replaces the imports of a file; `known` holds its links if they were already resolved. */
  set({ path, language, imports }: GraphFile, known?: Links): void {
    this.#forget(path)
    const links = known ?? this.#resolve(path, language, askedIn(imports))
    if (links.length === 0) return
    this.#files.set(path, { imports, links })
    for (const targets of links)
      for (const target of targets) getOrMake(this.#importers, target, () => new Set()).add(path)
  }

  linksOf(path: string): Links {
    return this.#files.get(path)?.links ?? []
  }

  dependencies(path: string): readonly Edge[] {
    const file = this.#files.get(path)
    if (!file) return []
    return (file.edges ??= toEdges(path, file))
  }

  dependents(path: string): readonly Edge[] {
    return [...(this.#importers.get(path) ?? NONE)].flatMap((source) =>
      this.dependencies(source).filter(({ target }) => target === path),
    )
  }

  get edges(): readonly Edge[] {
    return [...this.#files.keys()].flatMap((path) => this.dependencies(path))
  }

  /** Returns how much of the project depends on a file, 0..1; ranking uses it as a prior. */
  centrality(): (path: string) => number {
    const counts = new Map<string, number>()
    let most = 1
    for (const { imports, links } of this.#files.values()) {
      const asked = askedIn(imports)
      const imported = new Set(links.filter((_, at) => asked[at]?.type !== 'reference').flat())
      for (const target of imported) {
        const count = (counts.get(target) ?? 0) + 1
        counts.set(target, count)
        most = Math.max(most, count)
      }
    }
    return (path) => Math.log1p(counts.get(path) ?? 0) / Math.log1p(most)
  }

  #resolve(path: string, language: string, asked: readonly ImportRef[]): Links {
    if (asked.length === 0) return []
    const resolve = this.#resolverOf(language)
    return asked.map((reference) => resolve(path, reference).filter((target) => target !== path))
  }

  #forget(path: string): void {
    for (const target of this.linksOf(path).flat()) this.#importers.get(target)?.delete(path)
    this.#files.delete(path)
  }
}

/** Returns the references without declarations: the ones that `Links` lists. */
function askedIn(imports: readonly ImportRef[]): readonly ImportRef[] {
  return imports.filter(({ kind }) => kind !== DECLARES)
}

function toEdges(source: string, { imports, links }: Linked): Edge[] {
  const edges = new Map<string, Edge>()
  for (const [at, reference] of askedIn(imports).entries()) {
    const targets = links[at] ?? []
    if (targets.length === 0 && isGuess(reference)) continue
    for (const target of targets.length > 0 ? targets : [null]) {
      const edge = toEdge(source, target, reference)
      const key = `${target ?? ''}\0${edge.module}\0${edge.symbol ?? ''}`
      if (!edges.has(key)) edges.set(key, edge)
    }
  }
  return [...edges.values()]
}

/** Whether a reference is only implied: it counts only if the file exists. */
function isGuess({ kind }: ImportRef): boolean {
  return /^(?:chart_member|subchart_of|variable_file|doc_(?:inline_code|frontmatter|code_block))$/.test(
    kind,
  )
}

function toEdge(source: string, target: string | null, reference: ImportRef): Edge {
  const { specifier: module, names, aliases, type = 'import', kind, line } = reference
  return {
    source,
    target,
    module,
    symbol: names?.length ? names.join(', ') : null,
    ...(aliases && { aliases }),
    type,
    kind,
    line,
  }
}
