import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '../../../base/environment.ts'
import { readFoundFile } from '../../../base/files/read-found-file.ts'
import {
  type OriginalName,
  type ReplacedSystem,
  withOurNames,
} from '../../../builtins/kit/replaced-system.ts'
import type { Workspace } from '../../../config/paths.ts'
import { trustOf } from '../../../config/trust/trust-of.ts'
import { isLoopback } from '../../../base/net/net.ts'
import type { StandaloneTransport } from '../../../app/builtins/serve-standalone.ts'

/** No file of variables has this size. */
const MAX_DOT_ENV_BYTES = 64 * 1024

export interface TakenOver {
  /** The environment, with our names for the variables of the original. */
  readonly env: Environment
  /** What was read, left out or differs, for the lines at the start. */
  readonly notes: readonly string[]
}

/** Reads the variables of the system that a stand-alone server replaces. */
export async function takeOver(
  system: ReplacedSystem | undefined,
  place: Workspace,
): Promise<TakenOver> {
  if (!system) return { env: place.env, notes: [] }
  const names = await system.names(place.env)
  const file = system.readsDotEnv ? readDotEnv(place, names) : { values: {}, notes: [] }
  const given = { ...file.values, ...place.env }
  const { env, used } = withOurNames(given, await system.names(given))
  return {
    env,
    notes: [
      ...(used.length > 0 ? [`Reads the variables of ${system.name}: ${used.join(', ')}.`] : []),
      ...file.notes,
      ...((await system.notes?.(env, used)) ?? []),
    ],
  }
}

/** Says where it listens if the original listened for other machines as well. */
export function noteOnListening(
  system: ReplacedSystem | undefined,
  transport: StandaloneTransport,
): string[] {
  const isNarrower =
    system?.listensForAll && transport.kind !== 'stdio' && isLoopback(transport.host)
  return isNarrower
    ? [
        `Listens for this machine only, where ${system.name} listened for all: set MCP_HOST=0.0.0.0 for that.`,
      ]
    : []
}

/**
 * Returns the variables of the original in the file `.env` of a folder, which is used only if a
 * person has trusted this content: it may come with a repository, and name where keys are sent.
 */
function readDotEnv(
  place: Workspace,
  names: readonly OriginalName[],
): { readonly values: Environment; readonly notes: readonly string[] } {
  const file = findDotEnv(place.cwd, names)
  if (!file) return { values: {}, notes: [] }
  const { path, text, values } = file
  const found = Object.keys(values).join(', ')
  if (trustOf(place)(path, text).verdict === 'trusted')
    return { values, notes: [`Reads ${path}, which is trusted: ${found}.`] }
  return {
    values: {},
    notes: [
      `Leaves out ${path} (${found}), as nobody has trusted it: run \`portolan trust\` in its folder, or set these variables.`,
    ],
  }
}

/** Returns the `.env` of a folder, if it sets any of these variables. */
export function findDotEnv(folder: string, names: readonly OriginalName[]) {
  const path = join(folder, '.env')
  const text = existsSync(path) ? readFoundFile(path, MAX_DOT_ENV_BYTES) : undefined
  if (text === undefined) return undefined
  const known = new Set(names.map(([theirs]) => theirs))
  const values: Environment = Object.fromEntries(
    Object.entries(parseEnv(text)).filter(([name]) => known.has(name)),
  )
  return Object.keys(values).length > 0 ? { path, text, values } : undefined
}
