import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../base/environment.ts'

export interface Place {
  readonly cwd: string
  readonly env: Environment
}

export function homeFolder(env: Environment): string {
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

/** Everywhere a file may be, best first. A path given by flag or environment is the only candidate. */
export function candidates(kind: FileKind, place: Place, flag?: string): readonly string[] {
  const explicit = explicitPath(kind, place, flag)
  if (explicit !== undefined) return [explicit]
  const name = FILE_NAMES[kind]
  if (kind === 'settings') return [resolve(place.cwd, name), join(dataFolder(place), name)]
  return [
    resolve(place.cwd, name),
    join(homeFolder(place.env), '.config', 'agent-mcp-gateway', name),
    resolve(place.cwd, 'config', name),
  ]
}

/** The path a person asked for by name: it is an error when nothing is there. */
export function explicitPath(kind: FileKind, place: Place, flag?: string): string | undefined {
  const given = flag ?? place.env[VARIABLES[kind]]
  return given === undefined || given === '' ? undefined : expandPath(given, place)
}

export function locate(kind: FileKind, place: Place, flag?: string): string | undefined {
  const explicit = explicitPath(kind, place, flag)
  if (explicit !== undefined) return explicit
  return candidates(kind, place, flag).find((path) => existsSync(path))
}

/** Where everything Portolan keeps lives, before `portolan.yaml` has been read. */
export function dataFolder(place: Place): string {
  return expandPath(place.env['PORTOLAN_HOME'] || '~/.portolan', place)
}
