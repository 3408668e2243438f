import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Environment } from '../base/environment.ts'
import { dataFolder, FILE_NAMES, userFile } from '../config/paths.ts'
import type { JoinRequest } from './join.ts'

/** Variables that decide whether, and how, `portolan` without a command speaks to its client. */
const DECIDING =
  /^(?:PORTOLAN_(?:ALONE|MCP|RULES|CONFIG|LISTEN_TRANSPORT|SHARED_ENABLED|DEBUG)|MCP_TRANSPORT|GATEWAY_(?:TRANSPORT|MCP_CONFIG|RULES|DEBUG))$/
/** Settings that decide the same, wherever they stand in a file. */
const DECIDING_SETTINGS = /transport|shared/

/**
 * Returns the request of a start that can join without another question: as clients start it. The
 * modules that read settings would take longer to load than everything that a bridge does. Undefined
 * where those have to decide.
 */
export function plainStart(
  words: readonly string[],
  env: Environment,
  cwd: string,
): JoinRequest | undefined {
  const surface = surfaceIn(words)
  if (surface === undefined) return undefined
  const place = { cwd, env }
  const isDecided = Object.keys(env).some((name) => DECIDING.test(name) && env[name] !== '')
  if (isDecided) return undefined
  const files = [userFile('settings', place), resolve(cwd, FILE_NAMES.settings)]
  if (files.some((path) => existsSync(path) && mayDecide(path))) return undefined
  return { home: dataFolder(place), folder: cwd, env, surface: surface || undefined }
}

/** Returns an empty text for no words at all; undefined for any other words. */
function surfaceIn(words: readonly string[]): string | undefined {
  const [first = '', second, ...more] = words
  if (words.length === 0) return ''
  const inOne = /^--surface=(\w+)$/.exec(first)?.[1]
  if (inOne !== undefined) return second === undefined ? inOne : undefined
  return first === '--surface' && more.length === 0 ? second : undefined
}

function mayDecide(path: string): boolean {
  try {
    return DECIDING_SETTINGS.test(readFileSync(path, 'utf8'))
  } catch {
    return true
  }
}
