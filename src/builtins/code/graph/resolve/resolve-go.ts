import type { Resolve } from '../import-ref.ts'
import { type ProjectFiles, folderOf, foldersUp, joinPath } from '../project-files.ts'

export function createGoResolver(files: ProjectFiles): Resolve {
  const modules = modulePaths(files)
    .flatMap((path) => {
      const [, name] = /^module\s+(\S+)/m.exec(files.read(path) ?? '') ?? []
      return name === undefined ? [] : [{ name, folder: folderOf(path) }]
    })
    .toSorted((a, b) => b.name.length - a.name.length)
  return (_, { specifier, names = [] }) => {
    const owner = modules.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
    if (!owner) return []
    const folder = joinPath(owner.folder, specifier.slice(owner.name.length))
    if (folder === undefined) return []
    const members = files
      .inFolder(folder)
      .filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'))
    const named = members.filter((path) => files.offers(path).some((name) => names.includes(name)))
    // The whole package, if imported for its side effects or if the path does not tell its name.
    return named.length > 0 ? named : members
  }
}

/** Returns where a `go.mod` may be, indexed or not: folders with Go files, and those above. */
function modulePaths(files: ProjectFiles): string[] {
  const folders = new Set<string>()
  for (const path of files.paths) {
    if (!path.endsWith('.go')) continue
    for (const folder of foldersUp(folderOf(path))) {
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return [...folders].map((folder) => (folder === '' ? 'go.mod' : `${folder}/go.mod`))
}
