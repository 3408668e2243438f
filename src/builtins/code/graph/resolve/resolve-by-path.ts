import { bySuffix, one } from './path-endings.ts'
import { type ProjectFiles, folderOf, joinPath } from '../project-files.ts'
import type { Resolve } from '../import-ref.ts'

/** Resolves imports that are a path or a dotted name for one: Lua, Haskell, CSS, protobuf… */
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

/** Resolves imports of Sass and Less: `a/b` may be the partial `a/_b` or the index of a folder. */
export function createSassResolver(files: ProjectFiles): Resolve {
  const plain = createPlainResolver(files, ['.scss', '.sass', '.less', '.css'])
  return (from, reference) => {
    const { specifier } = reference
    const partial = specifier.replace(/[^/]*$/, '_$&')
    for (const path of [specifier, partial, `${specifier}/_index`, `${specifier}/index`]) {
      const found = plain(from, { ...reference, specifier: path })
      if (found.length > 0) return found
    }
    return []
  }
}

/** Resolves includes of C, C++ and Objective-C. */
export function createIncludeResolver(files: ProjectFiles): Resolve {
  const ending = bySuffix(files)
  return (from, { specifier, kind }) => {
    const beside = joinPath(folderOf(from), specifier)
    if (kind !== 'include_system' && beside !== undefined && files.has(beside)) return [beside]
    for (const folder of ['include', 'src', '']) {
      const path = joinPath(folder, specifier)
      if (path !== undefined && files.has(path)) return [path]
    }
    // `<string.h>` belongs to the system; `<project/part.h>` may belong to the project.
    return kind === 'include_system' && !specifier.includes('/') ? [] : one(ending(specifier, from))
  }
}

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
