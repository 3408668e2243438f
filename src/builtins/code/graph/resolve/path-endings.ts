import { groupBy } from '../../../../base/maps.ts'
import { type ProjectFiles } from '../project-files.ts'

/**
 * Finds files by the end of their path: an import does not state the beginning, which depends on a
 * package or an include folder.
 */
export function bySuffix(
  files: ProjectFiles,
): (suffix: string, near?: string) => string | undefined {
  let names: Map<string, string[]> | undefined
  /** Results by suffix: most files of a project ask for the same few. */
  const known = new Map<string, readonly string[]>()
  const find = (suffix: string): readonly string[] => {
    names ??= groupBy(files.paths, (path) => path.slice(path.lastIndexOf('/') + 1))
    const ending = `/${suffix}`
    const candidates = names.get(suffix.slice(suffix.lastIndexOf('/') + 1)) ?? []
    return candidates.filter((path) => path === suffix || path.endsWith(ending))
  }
  return (suffix, near = '') => {
    const found = known.get(suffix) ?? find(suffix)
    known.set(suffix, found)
    return found.length > 1 ? nearest(found, near) : found[0]
  }
}

/** Returns the path that shares the longest prefix with `near`, then the shortest. */
function nearest(paths: readonly string[], near: string): string | undefined {
  const shared = (path: string): number => {
    let at = 0
    while (at < path.length && path[at] === near[at]) at++
    return at
  }
  return paths.toSorted((a, b) => shared(b) - shared(a) || a.length - b.length)[0]
}

/** Wraps a path that may be absent in a list. */
export const one = (path: string | undefined): readonly string[] =>
  path === undefined ? [] : [path]
