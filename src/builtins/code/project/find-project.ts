import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type GitPlace, readGit } from './git.ts'

/** The project a path belongs to, and the name its index goes by. */
export interface FoundProject {
  readonly root: string
  /** The same for every worktree of a repository: what an index name is bound to. */
  readonly identity: string
  readonly suggestedName: string
  readonly git: GitPlace | undefined
  /** False where neither `.git` nor `cocosearch.yaml` marks the folder as a project. */
  readonly isMarked: boolean
}

/** Walks up to the nearest `.git` or `cocosearch.yaml`; a folder inside nothing is its own project. */
export function findProject(path: string): FoundProject {
  const start = realpathSync(path)
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git')) || existsSync(join(folder, 'cocosearch.yaml'))) {
      return describe(folder, true)
    }
    if (folder === dirname(folder)) return describe(start, false)
  }
}

/** The folder exactly as given, for whoever asks to index just that. */
export function projectAt(path: string): FoundProject {
  const root = realpathSync(path)
  return describe(root, existsSync(join(root, '.git')))
}

function describe(root: string, isMarked: boolean): FoundProject {
  const git = readGit(root) ?? enclosingGit(root)
  const isTop = git?.root === root
  const identity = isTop ? git.mainRoot : root
  const name = indexNameOf(basename(identity))
  const worktree = isTop && git.isWorktree ? `${name}__${indexNameOf(basename(root))}` : name
  return { root, identity, suggestedName: worktree, git, isMarked }
}

function enclosingGit(folder: string): GitPlace | undefined {
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    const git = readGit(above)
    if (git) return git
  }
  return undefined
}

export function indexNameOf(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return name.slice(0, 200) || 'project'
}

export function isIndexName(name: string): boolean {
  return /^[a-zA-Z0-9_]{1,255}$/.test(name)
}
