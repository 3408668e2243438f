import type { Resolve } from '../import-ref.ts'
import { bySuffix, one } from './path-endings.ts'
import { type ProjectFiles, folderOf, joinPath } from '../project-files.ts'

export function createPhpResolver(files: ProjectFiles): Resolve {
  const ending = bySuffix(files)
  const roots = files.paths
    .filter((path) => path === 'composer.json' || path.endsWith('/composer.json'))
    .flatMap((path) => autoloadRoots(files.read(path) ?? '', folderOf(path)))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
  return (from, { specifier, kind }) => {
    if (kind === 'include') {
      const path = joinPath(folderOf(from), specifier)
      return path !== undefined && files.has(path)
        ? [path]
        : one(ending(specifier.replace(/^\.?\//, ''), from))
    }
    for (const { prefix, folder } of roots) {
      if (!specifier.startsWith(prefix)) continue
      const path = joinPath(folder, `${specifier.slice(prefix.length).replaceAll('\\', '/')}.php`)
      if (path !== undefined && files.has(path)) return [path]
    }
    const parts = specifier.split('\\')
    return parts.length < 2 ? [] : one(ending(`${parts.slice(-2).join('/')}.php`, from))
  }
}

function autoloadRoots(composer: string, folder: string): { prefix: string; folder: string }[] {
  const found: { prefix: string; folder: string }[] = []
  for (const [, table = ''] of composer.matchAll(/"psr-[04]"\s*:\s*\{([^}]*)\}?/g)) {
    for (const [, prefix = '', target = ''] of table.matchAll(/"([^"]*)"\s*:\s*\[?\s*"([^"]*)"/g)) {
      found.push({
        prefix: prefix.replaceAll('\\\\', '\\'),
        folder: joinPath(folder, target) ?? folder,
      })
    }
  }
  return found
}
