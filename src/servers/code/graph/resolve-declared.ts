import type { ProjectFiles } from './project-files.ts'
import type { Resolve } from './resolver.ts'

/** Languages that import by the names files declare, whatever the files are called: C# namespaces, Elixir modules. */
export function createDeclaredResolver(files: ProjectFiles): Resolve {
  const stems = new Map<string, string[]>()
  for (const path of files.paths) {
    const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
    const same = stems.get(stem)
    if (same) same.push(path)
    else stems.set(stem, [path])
  }
  return (_, { specifier }) => {
    const declaring = files.declaring(specifier)
    if (declaring.length > 0) return declaring
    // `using static A.B.Type` and `alias A.B.Inner` name something inside what a file declares.
    const cut = specifier.lastIndexOf('.')
    if (cut < 0) return []
    const outer = files.declaring(specifier.slice(0, cut))
    const named = stems.get(specifier.slice(cut + 1)) ?? []
    return outer.length > 1 ? outer.filter((path) => named.includes(path)) : outer
  }
}
