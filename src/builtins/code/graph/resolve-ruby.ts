import { bySuffix, one } from './path-endings.ts'
import { type ProjectFiles, folderOf, joinPath } from './project-files.ts'
import type { Resolve } from './resolver.ts'

export function createRubyResolver(files: ProjectFiles): Resolve {
  const ending = bySuffix(files)
  return (from, { specifier, kind }) => {
    const name = specifier.endsWith('.rb') ? specifier : `${specifier}.rb`
    if (kind === 'require_relative' || specifier.startsWith('.')) {
      const path = joinPath(folderOf(from), name)
      return path !== undefined && files.has(path) ? [path] : []
    }
    return one(
      [`lib/${name}`, name].find((path) => files.has(path)) ??
        (name.includes('/') ? ending(`lib/${name}`, from) : undefined),
    )
  }
}
