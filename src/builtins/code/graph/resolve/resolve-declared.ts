import { groupBy } from '../../../../base/maps.ts'
import type { Resolve } from '../import-ref.ts'
import { createNamedMembers } from './named-members.ts'
import type { ProjectFiles } from '../project-files.ts'

/**
 * Resolves imports by the names that files declare, whatever the files are called: C# namespaces,
 * Elixir modules.
 */
export function createDeclaredResolver(files: ProjectFiles): Resolve {
  const named = createNamedMembers(files)
  const stems = groupBy(files.paths, (path) =>
    path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, ''),
  )
  return (from, { specifier }) => {
    const declaring = files.declaring(specifier)
    if (declaring.length > 0) return named(specifier, declaring, from)
    // `using static A.B.Type` and `alias A.B.Inner` name something inside a declared name.
    const cut = specifier.lastIndexOf('.')
    if (cut < 0) return []
    const outer = files.declaring(specifier.slice(0, cut))
    const inner = specifier.slice(cut + 1)
    const called = stems.get(inner) ?? []
    return outer.length > 1
      ? outer.filter((path) => called.includes(path) || files.offers(path).includes(inner))
      : outer
  }
}
