import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../base/environment.ts'
import { THEIR_FILES, THEIR_FOLDER } from './agent-mcp-gateway-names.ts'

export interface Workspace {
  readonly cwd: string
  readonly env: Environment
}

export function homeFolder(env: Environment): string {
  return env['HOME'] ?? homedir()
}

/** Expands a leading `~` and makes the path absolute. */
export function expandPath(path: string, { cwd, env }: Workspace): string {
  const expanded =
    path === '~' || path.startsWith('~/') || path.startsWith('~\\')
      ? join(homeFolder(env), path.slice(1))
      : path
  return isAbsolute(expanded) ? expanded : resolve(cwd, expanded)
}

export const FILE_KINDS = ['mcp', 'rules', 'settings'] as const
export type FileKind = (typeof FILE_KINDS)[number]

export const FILE_NAMES: Record<FileKind, string> = {
  mcp: '.mcp.json',
  rules: '.mcp-gateway-rules.json',
  settings: 'portolan.yaml',
}

/** The file beside a servers file that says what was accepted of its servers. */
export const LOCK_NAME = 'mcp.lock'

const VARIABLES: Record<FileKind, string> = {
  mcp: 'PORTOLAN_MCP',
  rules: 'PORTOLAN_RULES',
  settings: 'PORTOLAN_CONFIG',
}

/** The names of the same files in the data folder, without a dot or prefix. */
const USER_FILE_NAMES: Record<FileKind, string> = {
  mcp: 'mcp.json',
  rules: 'rules.json',
  settings: 'portolan.yaml',
}

/** `user` applies in every folder; `project` is in the working folder, or named explicitly. */
export type Level = (typeof LEVELS)[number]

/** Weakest first. */
export const LEVELS = ['user', 'project'] as const

export interface FoundFile {
  readonly level: Level
  readonly path: string
  /** Whether a flag or variable names it, rather than the search finding it. */
  readonly named?: boolean
}

/** The user's own file, for every folder; it need not exist. */
export function userFile(kind: FileKind, place: Workspace): string {
  return join(dataFolder(place), USER_FILE_NAMES[kind])
}

/** Returns where a file of one level may be, best first; a named path is the only one. */
function candidatesAt(level: Level, kind: FileKind, place: Workspace, flag?: string): string[] {
  const name = FILE_NAMES[kind]
  if (level === 'user') {
    const own = userFile(kind, place)
    const former = join(homeFolder(place.env), THEIR_FOLDER, name)
    return kind === 'settings' ? [own] : [own, former]
  }
  const named = explicitPath(kind, place, flag)
  if (named !== undefined) return [named]
  const here = resolve(place.cwd, name)
  return kind === 'settings' ? [here] : [here, resolve(place.cwd, 'config', name)]
}

/** The variables that name files. */
export const FILE_VARIABLES: readonly string[] = [VARIABLES, THEIR_FILES].flatMap((names) =>
  Object.values(names),
)

/** Returns every path where a file of this kind may appear. */
export function candidates(kind: FileKind, place: Workspace, flag?: string): readonly string[] {
  return LEVELS.flatMap((level) => candidatesAt(level, kind, place, flag))
}

/** Returns the files of this kind in a folder, the one in force first. */
export function filesInFolder(kind: FileKind, folder: string): string[] {
  return candidatesAt('project', kind, { cwd: folder, env: {} }).filter((path) => existsSync(path))
}

/** Returns the path named by flag or variable; a missing file there is an error. */
export function explicitPath(kind: FileKind, place: Workspace, flag?: string): string | undefined {
  const given = flag ?? (place.env[VARIABLES[kind]] || place.env[THEIR_FILES[kind]])
  return given === undefined || given === '' ? undefined : expandPath(given, place)
}

/** Returns the files of this kind that are here, weakest first; the last of each level is in force. */
export function filesHere(kind: FileKind, place: Workspace, flag?: string): FoundFile[] {
  const named = explicitPath(kind, place, flag)
  const found = LEVELS.flatMap((level) =>
    candidatesAt(level, kind, place, flag)
      .filter((path) => path === named || existsSync(path))
      .toReversed()
      .map((path) => ({ level, path, named: path === named })),
  )
  // In the data folder, or if the user's own file is named, both levels have the same file.
  return found.filter(({ path }, at) => !found.slice(at + 1).some((other) => other.path === path))
}

/** Returns the files of this kind in force here, weakest first; at most one of each level. */
export function findFiles(kind: FileKind, place: Workspace, flag?: string): FoundFile[] {
  const found = filesHere(kind, place, flag)
  return LEVELS.flatMap((level) => found.findLast((file) => file.level === level) ?? [])
}

/** Returns the file of this kind in the working folder, or the one named instead. */
export function projectFile(kind: FileKind, place: Workspace, flag?: string): string | undefined {
  return findFiles(kind, place, flag).find(({ level }) => level === 'project')?.path
}

/** Returns the folder of the versions of the configuration. */
export function historyFolder(place: Workspace): string {
  return join(dataFolder(place), 'history')
}

/** Returns the data folder as known before `portolan.yaml` is read. */
export function dataFolder(place: Workspace): string {
  return expandPath(place.env['PORTOLAN_HOME'] || '~/.portolan', place)
}
