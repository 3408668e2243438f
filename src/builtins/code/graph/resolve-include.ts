import { bySuffix, one } from './path-endings.ts'
import { type ProjectFiles, folderOf, joinPath } from './project-files.ts'
import type { Resolve } from './resolver.ts'

export function createIncludeResolver(files: ProjectFiles): Resolve {
  const ending = bySuffix(files)
  return (from, { specifier, kind }) => {
    const beside = joinPath(folderOf(from), specifier)
    if (kind !== 'include_system' && beside !== undefined && files.has(beside)) return [beside]
    for (const folder of ['include', 'src', '']) {
      const path = joinPath(folder, specifier)
      if (path !== undefined && files.has(path)) return [path]
    }
    // `<string.h>` alone is the system's; `<project/part.h>` may well be ours.
    return kind === 'include_system' && !specifier.includes('/') ? [] : one(ending(specifier, from))
  }
}
