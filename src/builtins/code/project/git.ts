import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** The facts in the `.git` of a folder, read from its files without starting a process. */
export interface GitPlace {
  /** The top of this working tree. */
  readonly root: string
  /** This working tree's own git folder. */
  readonly gitDir: string
  /** The repository's own folder, shared by all its worktrees. */
  readonly commonDir: string
  /** The top of the main working tree: the repository's identity, also for a linked worktree. */
  readonly mainRoot: string
  readonly isWorktree: boolean
  readonly branch: string | null
  readonly commit: string | null
}

/** Reads the repository whose working tree has its top at `root`; undefined if there is none. */
export function readGit(root: string): GitPlace | undefined {
  const dotGit = join(root, '.git')
  if (!existsSync(dotGit)) return undefined
  const gitDir = statSync(dotGit).isDirectory() ? dotGit : linkedDir(root, dotGit)
  if (gitDir === undefined) return undefined
  const common = readLine(join(gitDir, 'commondir'))
  const commonDir = common === undefined ? gitDir : resolve(gitDir, common)
  const isWorktree = common !== undefined
  return {
    root,
    gitDir,
    commonDir,
    mainRoot: isWorktree ? dirname(commonDir) : root,
    isWorktree,
    ...readHead(gitDir, commonDir),
  }
}

function linkedDir(root: string, file: string): string | undefined {
  const [, path] = /^gitdir:\s*(.+)$/m.exec(readText(file) ?? '') ?? []
  return path === undefined ? undefined : resolve(root, path.trim())
}

function readHead(
  gitDir: string,
  commonDir: string,
): { branch: string | null; commit: string | null } {
  const head = readLine(join(gitDir, 'HEAD'))
  if (head === undefined) return { branch: null, commit: null }
  if (!head.startsWith('ref:')) return { branch: null, commit: head }
  const ref = head.slice(4).trim()
  const branch = ref.replace(/^refs\/heads\//, '')
  const commit =
    readLine(join(gitDir, ref)) ?? readLine(join(commonDir, ref)) ?? packedRef(commonDir, ref)
  return { branch, commit: commit ?? null }
}

function packedRef(commonDir: string, ref: string): string | undefined {
  const lines = readText(join(commonDir, 'packed-refs'))?.split('\n') ?? []
  return lines.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0]
}

/** Larger files are not read: no ignore file, manifest or file of git has this size. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * Returns the text of a plain file, without its byte order mark; undefined if it cannot be read. A
 * repository may have a link to a device or a pipe in its place, which would be read for ever.
 */
export function readText(path: string): string | undefined {
  try {
    const stat = statSync(path)
    if (!stat.isFile() || stat.size > MOST_BYTES) return undefined
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch {
    return undefined
  }
}

const readLine = (path: string): string | undefined => readText(path)?.trim()

const run = promisify(execFile)

/** Returns the output of a git command, or null if git is missing or fails. */
export async function askGit(root: string, ...args: string[]): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['-C', root, ...args], { timeout: 5_000 })
    return stdout.trim()
  } catch {
    return null
  }
}
