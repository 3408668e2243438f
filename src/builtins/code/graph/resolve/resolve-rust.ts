import type { Resolve } from '../import-ref.ts'
import { one } from './path-endings.ts'
import { type ProjectFiles, folderOf, foldersUp, joinPath } from '../project-files.ts'

export function createRustResolver(files: ProjectFiles): Resolve {
  const crates = files.paths
    .filter((path) => path === 'Cargo.toml' || path.endsWith('/Cargo.toml'))
    .flatMap((path) => {
      const [, name] =
        /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(files.read(path) ?? '') ?? []
      return name === undefined
        ? []
        : [{ name: name.replaceAll('-', '_'), source: joinPath(folderOf(path), 'src') ?? 'src' }]
    })
  const module = (folder: string, name: string): string | undefined =>
    [joinPath(folder, `${name}.rs`), joinPath(folder, `${name}/mod.rs`)].find(
      (path) => path !== undefined && files.has(path),
    )
  /** Finds the longest prefix of the path that is a module; the rest are names inside it. */
  const descend = (folder: string, parts: readonly string[]): string | undefined => {
    let [found, at] = [undefined as string | undefined, folder]
    for (const part of parts) {
      const next = module(at, part)
      if (next === undefined) break
      found = next
      at = joinPath(at, part) ?? at
    }
    return found
  }
  return (from, { specifier, kind }) => {
    const inside = modulesFolder(from)
    if (kind === 'mod') return one(module(inside, specifier))
    const [head = '', ...rest] = specifier.split('::').map((part) => part.trim())
    const root = sourceRoot(
      from,
      crates.map(({ source }) => source),
    )
    if (head === 'crate') return one(descend(root, rest) ?? libOf(files, root))
    if (head === 'self') return one(descend(inside, rest))
    if (head === 'super') {
      const ups = specifier.split('::').filter((part) => part === 'super').length
      const above = [...foldersUp(inside)][ups]
      if (above === undefined) return []
      const names = rest.filter((part) => part !== 'super')
      return one(descend(above, names) ?? moduleOf(files, above))
    }
    const sibling = crates.find(({ name }) => name === head)
    if (sibling) return one(descend(sibling.source, rest) ?? libOf(files, sibling.source))
    return one(descend(inside, [head, ...rest]))
  }
}

/** Returns the folder of the modules that a Rust file declares. */
function modulesFolder(path: string): string {
  const folder = folderOf(path)
  const name = path.slice(path.lastIndexOf('/') + 1, -'.rs'.length)
  return ['mod', 'lib', 'main'].includes(name) ? folder : (joinPath(folder, name) ?? folder)
}

/** Returns the file whose modules are in a folder. */
function moduleOf(files: ProjectFiles, folder: string): string | undefined {
  const inside = ['mod.rs', 'lib.rs', 'main.rs'].map((name) => joinPath(folder, name) ?? name)
  return [...inside, `${folder}.rs`].find((path) => files.has(path))
}

function sourceRoot(from: string, sources: readonly string[]): string {
  const own = sources.filter((source) => from.startsWith(`${source}/`))
  return own.toSorted((a, b) => b.length - a.length)[0] ?? folderOf(from)
}

function libOf(files: ProjectFiles, source: string): string | undefined {
  return [`${source}/lib.rs`, `${source}/main.rs`].find((path) => files.has(path))
}
