import { basename, resolve } from 'node:path'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { loadSettings } from '../../config/load.ts'
import { FILE_NAMES, findFiles, userFile } from '../../config/paths.ts'
import { describeProblem } from '../../config/problem.ts'
import { readSecrets, secretsFile } from '../../config/secrets/secrets-file.ts'
import { parseServers } from '../../config/servers/parse-servers.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { hideSecrets } from './clients/hide-secrets.ts'
import { appendSecrets } from './files/append-secrets.ts'
import { type Edit, editConfig } from './clients/edit-config.ts'
import type { Machine } from './clients/machine.ts'
import { parseConfig } from './clients/parse-config.ts'
import { replaceFile, textOf } from './files/replace-file.ts'
import { trustWritten } from './files/record-trust.ts'

/** Where servers are written: a named file, the project's, or the user's own. */
export interface Place {
  readonly machine: Machine
  readonly mcp?: string | undefined
  readonly project?: boolean | undefined
}

export interface Written {
  readonly file: string
  /** The names of variables that now stand for the entry's secrets. */
  readonly variables: readonly string[]
}

/** Adds an entry; its secrets go to `secrets.env`. */
export function addServer(name: string, entry: JsonObject, place: Place): Written {
  const { machine } = place
  const file = targetOf(place)
  if (entriesIn(file)[name] !== undefined)
    throw new GatewayError('INVALID_PARAMS', `${file} has a server '${name}' already`, {
      hint: `portolan server remove ${shellWord(name)}, or choose another name.`,
    })
  const { home } = loadSettings({ env: machine.env, cwd: machine.cwd })
  const kept = readSecrets(home)
  const secrets = new Map(Object.entries(kept).map(([key, value]) => [key, value ?? '']))
  const hidden = hideSecrets(name, entry, secrets)
  const fresh = new Map([...secrets].filter(([key]) => !Object.hasOwn(kept, key)))
  const { problems } = parseServers({ mcpServers: { [name]: entry } }, file, machine.env)
  const [problem] = problems
  if (problem) throw new GatewayError('INVALID_PARAMS', describeProblem(problem))
  // First, as a running gateway loads the entry at once.
  if (fresh.size > 0) appendSecrets(secretsFile(home), fresh)
  edit(file, machine, [{ path: ['mcpServers', name], value: hidden }])
  return { file, variables: [...fresh.keys()] }
}

export function removeServer(name: string, place: Place): Written {
  const file = fileOf(name, place)
  edit(file, place.machine, [{ path: ['mcpServers', name], value: undefined }])
  return { file, variables: [] }
}

/** Switches an entry on or off; it stays in its file. */
export function enableServer(name: string, isEnabled: boolean, place: Place): Written {
  const file = fileOf(name, place)
  const at = ['mcpServers', name]
  edit(file, place.machine, [
    { path: [...at, 'enabled'], value: undefined },
    { path: [...at, 'disabled'], value: isEnabled ? undefined : true },
  ])
  return { file, variables: [] }
}

function targetOf({ machine, mcp, project }: Place): string {
  if (mcp !== undefined) return resolve(machine.cwd, mcp)
  return project ? resolve(machine.cwd, FILE_NAMES.mcp) : userFile('mcp', machine)
}

/** Returns the file whose entry is in force: if both have the name, the project's. */
function fileOf(name: string, { machine, mcp }: Place): string {
  const files = findFiles('mcp', machine, mcp).map(({ path }) => path)
  const found = files.findLast((file) => entriesIn(file)[name] !== undefined)
  if (found !== undefined) return found
  const names = files.flatMap((file) => Object.keys(entriesIn(file)))
  throw new GatewayError('SERVER_NOT_FOUND', `There is no server '${name}' in the servers files`, {
    hint:
      didYouMean(name, names) ??
      'portolan server list shows them; those that come with Portolan are switched in portolan.yaml.',
  })
}

function entriesIn(file: string): JsonObject {
  const { mcpServers } = parseConfig(textOf(file), { file, format: 'json' })
  return isObject(mcpServers) ? mcpServers : {}
}

/** Edits a file, and keeps it trusted if its content was trusted before. */
function edit(file: string, machine: Machine, edits: readonly Edit[]): void {
  const before = textOf(file)
  const after = editConfig(before, { file, format: 'json' }, edits)
  replaceFile(file, after, 0o600)
  if (basename(file) === FILE_NAMES.mcp) trustWritten(machine, file, { before, after })
}
