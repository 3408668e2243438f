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
  const options = optionsIn(words)
  if (!options) return undefined
  const place = { cwd, env }
  const isDecided = Object.keys(env).some((name) => DECIDING.test(name) && env[name] !== '')
  if (isDecided) return undefined
  const files = [userFile('settings', place), resolve(cwd, FILE_NAMES.settings)]
  if (files.some((path) => existsSync(path) && mayDecide(path))) return undefined
  const { surface, toolset } = options
  return { home: dataFolder(place), folder: cwd, env, surface, toolset }
}

/** Reads what a start of a client may say; undefined for any other words. */
function optionsIn(words: readonly string[]): Readonly<Record<string, string>> | undefined {
  const options: Record<string, string> = {}
  const left = words.flatMap(
    (word) => /^(--(?:surface|toolset))=(.*)$/.exec(word)?.slice(1) ?? word,
  )
  for (let at = 0; at < left.length; at += 2) {
    const [, name] = /^--(surface|toolset)$/.exec(left[at] ?? '') ?? []
    const value = left[at + 1]
    if (name === undefined || !value || value.startsWith('-')) return undefined
    options[name] = value
  }
  return options
}

function mayDecide(path: string): boolean {
  try {
    return DECIDING_SETTINGS.test(readFileSync(path, 'utf8'))
  } catch {
    return true
  }
}
