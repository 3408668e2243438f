import { type Resolve, renamed } from '../import-ref.ts'
import { bySuffix, one } from './path-endings.ts'
import { createNamedMembers } from './named-members.ts'
import { type ProjectFiles, folderOf } from '../project-files.ts'

const JVM_EXTENSIONS = ['.java', '.kt', '.scala', '.groovy']

export function createJvmResolver(files: ProjectFiles): Resolve {
  const ending = bySuffix(files)
  const packageFiles = createPackages(files)
  const named = createNamedMembers(files)
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
      const names = group.split(',').map((name) => renamed(name)[0])
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
    if (dotted !== specifier) return named(dotted, packageFiles(dotted), from)
    // A function or a class of a file with another name.
    const last = parts.at(-1) ?? ''
    const members = packageFiles(parts.slice(0, -1).join('.'))
    return members.filter((path) => files.offers(path).includes(last))
  }
}

/** Finds the files of a package by the end of their folder; each package is looked up once. */
function createPackages(files: ProjectFiles): (dotted: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  let folders: readonly string[] | undefined
  return (dotted) => {
    const found = known.get(dotted)
    if (found) return found
    folders ??= [...new Set(files.paths.filter(isJvm).map(folderOf))]
    const path = dotted.replaceAll('.', '/')
    const folder = folders.find((each) => each === path || each.endsWith(`/${path}`))
    const members = folder === undefined ? [] : files.inFolder(folder).filter(isJvm)
    known.set(dotted, members)
    return members
  }
}

function isJvm(path: string): boolean {
  return JVM_EXTENSIONS.some((extension) => path.endsWith(extension))
}
