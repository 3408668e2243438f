import type { Edge } from '../../graph/dependency-graph.ts'
import { folderOf } from '../../graph/project-files.ts'
import { takes } from './local-names.ts'
import type { ProjectIndex } from '../index/project-index.ts'

/**
 * `certain`: the file defines the name, or imports it by name from where it is defined.
 * `likely`: it imports a file that defines it, or shares its package with one.
 * `possible`: only the name is the same.
 */
export type Certainty = 'certain' | 'likely' | 'possible'

export interface Resolved {
  readonly certainty: Certainty
  readonly definedIn: readonly string[]
}

/** Languages in which the files of a folder see each other without an import. */
const SHARES_FOLDER = new Set(['go', 'java', 'kotlin', 'scala', 'groovy', 'csharp', 'swift'])
/** The most files in between that only re-export a name. */
const MAX_STEPS = 3

/** Finds which definition of a name a file refers to. */
export function resolveName(
  index: ProjectIndex,
  path: string,
  name: string,
  definitions: ReadonlyMap<string, unknown>,
): Resolved {
  if (definitions.has(path)) return { certainty: 'certain', definedIn: [path] }
  const edges = index.graph.dependencies(path).filter(({ target }) => target !== null)
  const byName = edges.filter((edge) => takes(edge, name))
  const named = reach(index, byName, definitions)
  if (named.length > 0) return { certainty: 'certain', definedIn: named }
  const near = [...new Set(targetsOf(edges).filter((target) => definitions.has(target)))]
  if (near.length > 0) return { certainty: 'likely', definedIn: near }
  const beside = besideOf(index, path, definitions)
  return beside.length > 0
    ? { certainty: 'likely', definedIn: beside }
    : { certainty: 'possible', definedIn: [] }
}

const targetsOf = (edges: readonly Edge[]): string[] =>
  edges.map(({ target }) => target).filter((target) => target !== null)

/** Finds the definitions behind these imports, through files that only re-export them. */
function reach(
  index: ProjectIndex,
  edges: readonly Edge[],
  definitions: ReadonlyMap<string, unknown>,
): string[] {
  const seen = new Set<string>()
  let level = targetsOf(edges)
  for (let step = 0; step <= MAX_STEPS && level.length > 0; step++) {
    const found = level.filter((target) => definitions.has(target))
    if (found.length > 0) return [...new Set(found)]
    for (const target of level) seen.add(target)
    level = level
      .flatMap((target) => targetsOf(index.graph.dependencies(target)))
      .filter((target) => !seen.has(target))
  }
  return []
}

function besideOf(
  index: ProjectIndex,
  path: string,
  definitions: ReadonlyMap<string, unknown>,
): string[] {
  const language = index.files.get(path)?.language ?? ''
  if (!SHARES_FOLDER.has(language)) return []
  const folder = folderOf(path)
  return [...definitions.keys()].filter(
    (other) => folderOf(other) === folder && index.files.get(other)?.language === language,
  )
}
