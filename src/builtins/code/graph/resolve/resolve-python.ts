import type { Resolve } from '../import-ref.ts'
import { bySuffix, one } from './path-endings.ts'
import { type ProjectFiles, folderOf, foldersUp, joinPath } from '../project-files.ts'

export function createPythonResolver(files: ProjectFiles): Resolve {
  const ending = bySuffix(files)
  const module = (path: string): string | undefined =>
    [
      `${path}.py`,
      `${path}.pyi`,
      `${path}/__init__.py`,
      `${path}/__init__.pyi`,
      `${path}.pyx`,
    ].find((file) => files.has(file))
  const placed = (from: string, path: string): string | undefined => {
    for (const folder of foldersUp(folderOf(from))) {
      const found = module(folder === '' ? path : `${folder}/${path}`)
      if (found !== undefined && found !== from) return found
    }
    for (const top of ['src/', 'lib/', 'python/']) {
      const found = module(top + path)
      if (found !== undefined) return found
    }
    return undefined
  }
  const absolute = (from: string, dotted: string): string | undefined => {
    const path = dotted.replaceAll('.', '/')
    const found = placed(from, path)
    if (found !== undefined) return found
    // A single word such as `logging` usually means the standard library, not a file of that name.
    return path.includes('/')
      ? (ending(`${path}.py`, from) ?? ending(`${path}/__init__.py`, from))
      : undefined
  }
  const relative = (from: string, dots: number, rest: string): string | undefined => {
    const up = [...foldersUp(folderOf(from))][dots - 1]
    const path = up === undefined ? undefined : joinPath(up, rest.replaceAll('.', '/'))
    if (path === undefined) return undefined
    return rest === '' ? joinPath(path, '__init__.py') : module(path)
  }
  /** A package need not have an `__init__.py`; its modules are still found by their names. */
  const modulesOf = (from: string, dots: number, rest: string, names: readonly string[]) =>
    names.flatMap((name) => {
      const path = `${rest.replaceAll('.', '/')}/${name}`
      return one(dots === 0 ? placed(from, path) : relative(from, dots, path))
    })
  return (from, { specifier, names = [] }) => {
    const [, dots = '', rest = ''] = /^(\.*)(.*)$/.exec(specifier) ?? []
    const base = dots === '' ? absolute(from, rest) : relative(from, dots.length, rest)
    if (base === undefined) return [...new Set(modulesOf(from, dots.length, rest, names))]
    const meant =
      names.length === 0 ? [base] : names.map((name) => submodule(base, name, module) ?? base)
    return [...new Set(meant)].filter((path) => files.has(path))
  }
}

/** `from package import name` means the module `package/name.py` if it exists. */
function submodule(
  base: string,
  name: string,
  module: (path: string) => string | undefined,
): string | undefined {
  if (!base.endsWith('__init__.py')) return undefined
  const folder = folderOf(base)
  return module(folder === '' ? name : `${folder}/${name}`)
}
