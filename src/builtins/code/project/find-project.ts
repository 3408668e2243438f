import { PROJECT_FILE } from '../cocosearch-names.ts'
import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type GitPlace, enclosingGit } from '../../../base/git/read-git.ts'

/** The names an index may have. */
export interface IndexNames {
  /** Made from folder names; another project may have the same. */
  readonly plain: string
  /** The same with a hash of the path: no other project has it. */
  readonly unique: string
  /** The plain one, unless a folder has a name without Latin letters and digits. */
  readonly suggested: string
}

/** The project a path belongs to, and the names its index may have. */
export interface FoundProject {
  readonly root: string
  /** The same for every worktree of a repository; an index name is bound to it. */
  readonly identity: string
  readonly names: IndexNames
  readonly git: GitPlace | undefined
  /** False if neither `.git` nor a file of settings marks the folder as a project. */
  readonly isMarked: boolean
}

const MAX_NAME_LENGTH = 255

/** Walks up to the nearest `.git` or file of settings; else the folder is its own project. */
export function findProject(path: string): FoundProject {
  const start = realpathSync(path)
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git')) || existsSync(join(folder, PROJECT_FILE))) {
      return describe(folder, true)
    }
    if (folder === dirname(folder)) return describe(start, false)
  }
}

/** Returns the folder itself as a project, without looking for one above it. */
export function projectAt(path: string): FoundProject {
  const root = realpathSync(path)
  return describe(root, existsSync(join(root, '.git')))
}

function describe(root: string, isMarked: boolean): FoundProject {
  const git = enclosingGit(root)
  const isTop = git?.root === root
  const identity = isTop ? git.mainRoot : root
  const folders = isTop && git.isWorktree ? [identity, root] : [identity]
  const names = indexNames(folders.map(indexNameOf), root)
  return { root, identity, names, git, isMarked }
}

/** An empty part, from a folder without Latin letters or digits, becomes `project`. */
export function indexNames(parts: readonly string[], root: string): IndexNames {
  const plain = parts.map((part) => part || 'project').join('__')
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 8)
  const unique = `${plain.slice(0, MAX_NAME_LENGTH - 1 - hash.length)}_${hash}`
  return { plain, unique, suggested: parts.includes('') ? unique : plain }
}

/** Reduces a folder's name to the characters that an index name may have. */
export function indexNameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return name.slice(0, 200)
}

export function isIndexName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && /^[a-zA-Z0-9_]+$/.test(name)
}
