import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readFoundFile } from '../files/read-found-file.ts'

const MAX_SETTINGS_BYTES = 1_000_000
/** Of a file that has one line, such as `HEAD`. */
const MAX_LINE_BYTES = 64_000

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

/** Reads the repository that a folder belongs to, its own or the nearest one above it. */
export function enclosingGit(folder: string): GitPlace | undefined {
  for (let above = folder; ; above = dirname(above)) {
    const git = readGit(above)
    if (git || above === dirname(above)) return git
  }
}

function linkedDir(root: string, file: string): string | undefined {
  const [, path] = /^gitdir:\s*(.+)$/m.exec(readText(file, MAX_LINE_BYTES) ?? '') ?? []
  return path === undefined ? undefined : resolve(root, path.trim())
}

function readHead(
  gitDir: string,
  commonDir: string,
): { branch: string | null; commit: string | null } {
  const head = readLine(join(gitDir, 'HEAD')) ?? ''
  const [, ref] = /^ref:\s*(refs\/\S+)$/.exec(head) ?? []
  if (ref === undefined) return { branch: null, commit: commitId(head) }
  // Git allows none of these in the name of a ref; here they would lead to other files.
  if (/\.\.|[\\:]/.test(ref)) return { branch: null, commit: null }
  const branch = ref.replace(/^refs\/heads\//, '')
  const commit =
    readLine(join(gitDir, ref)) ?? readLine(join(commonDir, ref)) ?? packedRef(commonDir, ref)
  return { branch, commit: commitId(commit) }
}

/** Anything else in the place of a commit may be an option for git, or the text of another file. */
function commitId(text: string | undefined): string | null {
  return text !== undefined && isCommitId(text) ? text : null
}

export function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

function packedRef(commonDir: string, ref: string): string | undefined {
  const lines = readText(join(commonDir, 'packed-refs'))?.split('\n') ?? []
  return lines.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0]
}

/** Whether the commits of a repository have names of 64 digits and not of 40. */
export function isSha256(commonDir: string): boolean {
  return /^[^\S\n]*objectformat[^\S\n]*=[^\S\n]*"?sha256\b/im.test(settingsOf(commonDir))
}

/** Returns the address of the remote `origin`, as the settings of the repository have it. */
export function originOf({ commonDir }: GitPlace): string | undefined {
  let isOrigin = false
  for (const line of settingsOf(commonDir).split('\n')) {
    const text = line.trim()
    if (text.startsWith('[')) isOrigin = /^\[remote\s+"origin"\]/i.test(text)
    const [, url] = (isOrigin && /^url\s*=\s*"?([^"]+)/i.exec(text)) || []
    if (url !== undefined) return url
  }
  return undefined
}

function settingsOf(commonDir: string): string {
  return readText(join(commonDir, 'config'), MAX_SETTINGS_BYTES) ?? ''
}

/** Returns the text of a plain file, without its byte order mark; undefined if it cannot be read. */
export function readText(path: string, maxBytes?: number): string | undefined {
  try {
    return readFoundFile(path, maxBytes)?.replace(/^\uFEFF/, '')
  } catch {
    return undefined
  }
}

const readLine = (path: string): string | undefined => readText(path, MAX_LINE_BYTES)?.trim()
