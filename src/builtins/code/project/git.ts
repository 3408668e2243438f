import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { readFoundFile } from '../../../base/files/read-found-file.ts'

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

/** Returns the text of a plain file, without its byte order mark; undefined if it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFoundFile(path)?.replace(/^\uFEFF/, '')
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
