import { bySuffix } from './path-endings.ts'
import { type ProjectFiles, folderOf, joinPath } from './project-files.ts'
import type { Resolve } from './resolver.ts'

/** Languages whose imports are a path, or a dotted name that is one: Lua, Haskell, Dart, shell, CSS, protobuf… */
export function createPlainResolver(
  files: ProjectFiles,
  extensions: readonly string[],
  dotted = false,
): Resolve {
  const ending = bySuffix(files)
  return (from, { specifier }) => {
    const bare = specifier.replace(/^(?:package:[^/]+\/|file:)/, '').replace(/^\$\{?\w+\}?\//, '')
    const name = dotted ? bare.replaceAll('.', '/') : bare
    for (const candidate of ['', ...extensions].map((extension) => name + extension)) {
      const beside = joinPath(folderOf(from), candidate)
      if (beside !== undefined && files.has(beside)) return [beside]
      if (files.has(candidate)) return [candidate]
    }
    for (const extension of extensions) {
      const found = ending(name.endsWith(extension) ? name : name + extension, from)
      if (found !== undefined && (name.includes('/') || dotted)) return [found]
    }
    return []
  }
}
