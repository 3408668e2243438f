import { type ProjectFiles, folderOf, joinPath } from './project-files.ts'
import type { Resolve } from './resolver.ts'

export function createGoResolver(files: ProjectFiles): Resolve {
  const modules = files.paths
    .filter((path) => path === 'go.mod' || path.endsWith('/go.mod'))
    .concat(files.has('go.mod') ? [] : 'go.mod')
    .flatMap((path) => {
      const [, name] = /^module\s+(\S+)/m.exec(files.read(path) ?? '') ?? []
      return name === undefined ? [] : [{ name, folder: folderOf(path) }]
    })
    .toSorted((a, b) => b.name.length - a.name.length)
  return (_, { specifier }) => {
    const owner = modules.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
    if (!owner) return []
    const folder = joinPath(owner.folder, specifier.slice(owner.name.length))
    if (folder === undefined) return []
    return files
      .inFolder(folder)
      .filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'))
  }
}
