import { bySuffix, one } from './path-endings.ts'
import { type ProjectFiles, folderOf } from './project-files.ts'
import type { Resolve } from './resolver.ts'

const JVM_EXTENSIONS = ['.java', '.kt', '.scala', '.groovy']

export function createJvmResolver(files: ProjectFiles): Resolve {
  const ending = bySuffix(files)
  const type = (dotted: string, from: string): string | undefined => {
    const path = dotted.replaceAll('.', '/')
    for (const extension of JVM_EXTENSIONS) {
      const found = ending(path + extension, from)
      if (found !== undefined) return found
    }
    return undefined
  }
  return (from, { specifier }) => {
    const [, dotted = specifier, group] = /^(.*?)\.(?:[*_]|\{([^}]*)\})$/.exec(specifier) ?? []
    if (group !== undefined) {
      const names = group.split(',').map((name) => name.trim().split(/\s*(?:=>|as)\s*/)[0] ?? '')
      return [
        ...new Set(
          names.flatMap((name) => one(type(`${dotted}.${name}`, from) ?? type(dotted, from))),
        ),
      ]
    }
    // `a.b.C.method` and `a.b.C.Inner` are found by their outer class.
    const parts = dotted.split('.')
    for (let length = parts.length; length >= 2; length--) {
      const found = type(parts.slice(0, length).join('.'), from)
      if (found !== undefined) return [found]
    }
    if (dotted === specifier) return []
    const sample = files.paths.find(
      (path) =>
        JVM_EXTENSIONS.some((extension) => path.endsWith(extension)) &&
        folderOf(path).endsWith(dotted.replaceAll('.', '/')),
    )
    return sample === undefined ? [] : files.inFolder(folderOf(sample))
  }
}
