import { escapeRegExp } from '../../../../base/text/escape-regexp.ts'
import { getOrMake } from '../../../../base/maps.ts'
import type { Edge } from '../../graph/dependency-graph.ts'
import type { ProjectIndex } from '../index/project-index.ts'

/** A name that a file gives to a symbol defined elsewhere, and the file that defines it. */
export interface LocalName {
  readonly local: string
  readonly definedIn: string
}

/** The most files in between that re-export or rename a symbol. */
const MAX_STEPS = 3

/**
 * Finds the other names of a definition: `import { price as cost }`, and in the importers of a file
 * that re-exports it as `cost`.
 */
export function localNames(
  index: ProjectIndex,
  name: string,
  definitions: Iterable<string>,
): Map<string, LocalName[]> {
  const found = new Map<string, LocalName[]>()
  for (const definedIn of definitions) {
    const seen = new Set([`${definedIn}\0${name}`])
    let level = [{ path: definedIn, known: name }]
    for (let step = 0; step < MAX_STEPS && level.length > 0; step++) {
      const next: typeof level = []
      for (const { path, known } of level)
        for (const edge of index.graph.dependents(path)) {
          const local = localName(edge, known)
          if (local === undefined || seen.has(`${edge.source}\0${local}`)) continue
          seen.add(`${edge.source}\0${local}`)
          next.push({ path: edge.source, known: local })
          if (local === name) continue
          getOrMake(found, edge.source, () => []).push({ local, definedIn })
        }
      level = next
    }
  }
  return found
}

/** Returns the importer's name for a symbol of the target; undefined if it is not imported. */
function localName(edge: Edge, name: string): string | undefined {
  const alias = edge.aliases?.find(([original]) => original === name)
  if (alias) return alias[1]
  return takes(edge, name) || isWhole(edge) ? name : undefined
}

/** `export * from './x'`, `from x import *`. */
function isWhole({ symbol, kind }: Edge): boolean {
  return symbol === '*' || (symbol === null && kind === 'export')
}

/** Whether an import asks for this name. */
export function takes({ symbol, module }: Edge, name: string): boolean {
  return symbol === null
    ? new RegExp(`(?:^|[.:/\\\\])${escapeRegExp(name)}$`).test(module)
    : symbol.split(', ').includes(name)
}

/** Whether a file uses the name for something else: `import { other as price }`. */
export function isTaken(edges: readonly Edge[], name: string): boolean {
  return edges.some(({ aliases = [] }) => aliases.some(([, local]) => local === name))
}

/** Whether a file imports the name, but only under another one. */
export function isRenamed(edges: readonly Edge[], name: string): boolean {
  const taking = edges.filter((edge) => takes(edge, name))
  return (
    taking.length > 0 &&
    taking.every(({ aliases = [] }) => aliases.some(([original]) => original === name))
  )
}
