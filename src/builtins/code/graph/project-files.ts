import { groupBy, getOrMake } from '../../../base/maps.ts'

/** The files of a project as resolvers see them: all paths, and the text of the few they read. */
export interface ProjectFiles {
  readonly paths: readonly string[]
  has(path: string): boolean
  /** Files directly inside a folder; '' is the root. */
  inFolder(folder: string): readonly string[]
  /** Undefined if the file is absent, unreadable or outside the project. */
  read(path: string): string | undefined
  /** The files that declare a namespace or module of this name. */
  declaring(name: string): readonly string[]
  /** The symbols of a file that its package, or importers of the package, may name. */
  offers(path: string): readonly string[]
  /** The files whose text contains a name. */
  mentioning(name: string): Iterable<string>
  /** Whether the text of a file was requested, even if the file is absent. */
  wasRead(path: string): boolean
}

/** Facts about the files besides their paths. */
export interface FileKnowledge {
  readonly declared?: Iterable<readonly [path: string, names: readonly string[]]>
  readonly offers?: (path: string) => readonly string[]
  readonly mentioning?: (name: string) => Iterable<string>
}

export function createProjectFiles(
  paths: readonly string[],
  read: (path: string) => string | undefined,
  { declared = [], offers = () => [], mentioning = () => [] }: FileKnowledge = {},
): ProjectFiles {
  const declaring = new Map<string, string[]>()
  for (const [path, names] of declared)
    for (const name of new Set(names)) getOrMake(declaring, name, () => []).push(path)
  const known = new Set(paths)
  let folders: Map<string, string[]> | undefined
  const texts = new Map<string, string | undefined>()
  return {
    paths,
    has: (path) => known.has(path),
    inFolder(folder) {
      folders ??= groupBy(paths, folderOf)
      return folders.get(folder) ?? []
    },
    read(path) {
      if (!texts.has(path)) texts.set(path, read(path))
      return texts.get(path)
    },
    declaring: (name) => declaring.get(name) ?? [],
    offers,
    mentioning,
    wasRead: (path) => texts.has(path),
  }
}

export function folderOf(path: string): string {
  const cut = path.lastIndexOf('/')
  return cut < 0 ? '' : path.slice(0, cut)
}

/** Joins and normalises; undefined if the path leads out of the project. */
export function joinPath(folder: string, relative: string): string | undefined {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

/** The folder itself and those above it, nearest first; '' last. */
export function* foldersUp(folder: string): Generator<string> {
  for (let at = folder; ; at = folderOf(at)) {
    yield at
    if (at === '') return
  }
}
