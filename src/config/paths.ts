import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../base/environment.ts'

export interface Place {
  readonly cwd: string
  readonly env: Environment
}

function homeFolder(env: Environment): string {
  return env['HOME'] ?? homedir()
}

/** Expands a leading `~` and makes the path absolute. */
export function expandPath(path: string, { cwd, env }: Place): string {
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

const VARIABLES: Record<FileKind, string> = {
  mcp: 'GATEWAY_MCP_CONFIG',
  rules: 'GATEWAY_RULES',
  settings: 'PORTOLAN_CONFIG',
}

/** What the same files are called in the data folder: there they need neither a dot nor a prefix. */
const USER_FILE_NAMES: Record<FileKind, string> = {
  mcp: 'mcp.json',
  rules: 'rules.json',
  settings: 'portolan.yaml',
}

/** `user` applies in every folder; `project` is in the working folder, or was named instead of it. */
export type Level = 'user' | 'project'

export interface FoundFile {
  readonly level: Level
  readonly path: string
  /** A person asked for it by flag or variable; it did not just happen to lie there. */
  readonly named?: boolean
}

/** The user's own file, for every folder; it need not exist. */
export function userFile(kind: FileKind, place: Place): string {
  return join(dataFolder(place), USER_FILE_NAMES[kind])
}

/** Everywhere a file of one level may be, best first. A path that was named is the only one of its level. */
function candidatesAt(level: Level, kind: FileKind, place: Place, flag?: string): string[] {
  const name = FILE_NAMES[kind]
  if (level === 'user') {
    const own = userFile(kind, place)
    // The gateway that Portolan succeeds kept its two files there.
    const former = join(homeFolder(place.env), '.config', 'agent-mcp-gateway', name)
    return kind === 'settings' ? [own] : [own, former]
  }
  const named = explicitPath(kind, place, flag)
  if (named !== undefined) return [named]
  const here = resolve(place.cwd, name)
  return kind === 'settings' ? [here] : [here, resolve(place.cwd, 'config', name)]
}

/** Every path that could come to hold a file of this kind. */
export function candidates(kind: FileKind, place: Place, flag?: string): readonly string[] {
  return LEVELS.flatMap((level) => candidatesAt(level, kind, place, flag))
}

const LEVELS = ['user', 'project'] as const

/** The files of this kind that a folder has, the one that counts first. */
export function filesInFolder(kind: FileKind, folder: string): string[] {
  return candidatesAt('project', kind, { cwd: folder, env: {} }).filter((path) => existsSync(path))
}

/** The path a person asked for by name: it is an error when nothing is there. */
export function explicitPath(kind: FileKind, place: Place, flag?: string): string | undefined {
  const given = flag ?? place.env[VARIABLES[kind]]
  return given === undefined || given === '' ? undefined : expandPath(given, place)
}

/** The files of this kind that count here, weakest first: at most one of each level. */
export function findFiles(kind: FileKind, place: Place, flag?: string): FoundFile[] {
  const named = explicitPath(kind, place, flag)
  const found = LEVELS.flatMap((level) => {
    const path = candidatesAt(level, kind, place, flag).find(
      (each) => each === named || existsSync(each),
    )
    return path === undefined ? [] : [{ level, path, named: path === named }]
  })
  // Started in the data folder, or given the user's own file by name, it is one file.
  return found.filter(({ path }, at) => !found.slice(at + 1).some((other) => other.path === path))
}

/** The file of this kind in the working folder, or the one that was named instead. */
export function projectFile(kind: FileKind, place: Place, flag?: string): string | undefined {
  return findFiles(kind, place, flag).find(({ level }) => level === 'project')?.path
}

/** Where everything Portolan keeps lives, before `portolan.yaml` has been read. */
export function dataFolder(place: Place): string {
  return expandPath(place.env['PORTOLAN_HOME'] || '~/.portolan', place)
}
