import { type Dirent, existsSync } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { codeOf } from '../../../base/errors.ts'
import { TimeSlice } from '../../code/engine/time-slice.ts'
import { enclosingGit } from '../../../base/git/read-git.ts'
import { IgnoreRules } from '../../code/walk/ignore-rules.ts'
import { RulesTooCostly } from '../../code/walk/matching-work.ts'
import { readTrackedFiles } from '../../../base/git/tracked-files.ts'

export interface SkippedFile {
  readonly location: string
  readonly reason: string
}

/** The files of a folder, and the entries that were left out. */
export interface ListedFiles {
  readonly files: readonly string[]
  readonly left: readonly SkippedFile[]
}

interface OpenFolder {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  /** The rules of the folders above it; undefined outside a repository. */
  readonly rules: IgnoreRules | undefined
  /** Git ignores the folder but tracks files in it, and only these are listed. */
  readonly isIgnored: boolean
}

const SKIPPED = new Set(['node_modules', 'vendor', 'dist', 'build', 'target', '__pycache__'])

interface Entry extends OpenFolder {
  readonly isFolder: boolean
}

interface Repository {
  readonly rules: IgnoreRules | undefined
  /** Returns why an entry is left out; undefined if it is not. */
  whyNot(entry: Entry): string | undefined
}

/**
 * Lists the files of a folder that git does not ignore; outside a repository, those that are neither
 * hidden nor built. It reads the files of the repository itself: git would run the programs that
 * the settings of the repository name.
 */
export async function listFiles(root: string): Promise<ListedFiles> {
  const real = await realpath(root)
  const repository = repositoryOf(real) ?? NO_REPOSITORY
  const slice = new TimeSlice()
  const files: string[] = []
  const left: SkippedFile[] = []
  const leave = (path: string, reason: string): void => {
    left.push({ location: join(root, path), reason })
  }
  const pending: OpenFolder[] = [{ path: '', rules: repository.rules, isIgnored: false }]
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    const { path: above } = folder
    const entries = await readdir(join(real, above), { withFileTypes: true }).catch(
      (error: unknown) => {
        if (above === '') throw error
        leave(above, `cannot be read: ${codeOf(error)}`)
        return []
      },
    )
    try {
      for (const entry of sortEntries(folder, entries, real)) {
        if (slice.isOver) await slice.yieldToLoop()
        const reason = repository.whyNot(entry)
        if (reason !== undefined) leave(entry.path, reason)
        else if (entry.isFolder) pending.push(entry)
        else files.push(join(root, entry.path))
      }
    } catch (error) {
      if (!(error instanceof RulesTooCostly)) throw error
      leave(above, error.message)
    }
  }
  return { files, left }
}

/** Applies the rules of a folder to its entries. */
function* sortEntries(
  folder: OpenFolder,
  entries: readonly Dirent[],
  root: string,
): Generator<Entry> {
  const { path: above } = folder
  // The rules of the root are already included.
  const hasOwn = above !== '' && entries.some(({ name }) => name === '.gitignore')
  const rules = hasOwn ? folder.rules?.enter(join(root, above), above) : folder.rules
  for (const entry of entries) {
    if (entry.name === '.git') continue
    const path = above === '' ? entry.name : `${above}/${entry.name}`
    const isFolder = entry.isDirectory()
    const isIgnored = folder.isIgnored || rules?.test(path, isFolder).ignored === true
    yield { path, isFolder, rules, isIgnored }
  }
}

/** Reads the repository that a folder belongs to; undefined if there is none. */
function repositoryOf(root: string): Repository | undefined {
  const git = enclosingGit(root)
  if (!git) return undefined
  const { commonDir, gitDir, root: gitRoot } = git
  const tracked = readTrackedFiles(join(gitDir, 'index'), commonDir)
  const way = relative(gitRoot, root).split(sep).join('/')
  const inRepository = way === '' ? '' : `${way}/`
  return {
    rules: IgnoreRules.forRoot(root, { gitOnly: true, gitDir: commonDir, gitRoot }),
    whyNot({ path, isFolder, isIgnored }) {
      if (isIgnored && !tracked.has(inRepository + path)) return 'ignored by git'
      const isOther = isFolder && existsSync(join(root, path, '.git'))
      return isOther ? 'another repository' : undefined
    },
  }
}

const NO_REPOSITORY: Repository = {
  rules: undefined,
  whyNot({ path, isFolder }) {
    const name = basename(path)
    if (name.startsWith('.')) return 'hidden'
    return isFolder && SKIPPED.has(name) ? 'folder of built or foreign files' : undefined
  },
}
