import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '../../base/json/json.ts'
import { BUILTINS } from '../../builtins/index.ts'
import { FILE_NAMES } from '../../config/paths.ts'
import { messageOf } from '../../base/errors.ts'
import { formatSecrets } from '../../config/secrets/secrets-file.ts'
import { secretsFile } from '../../config/secrets/stored-secrets.ts'
import { getOrMake } from '../../base/maps.ts'
import { type Connection, NAME, clientConfigOf } from '../connect/connect-client.ts'
import { type PlannedServer, toEdits } from '../clients/plan-import.ts'
import {
  type ClientConfig,
  type Endpoint,
  type McpClient,
  portolanEntry,
} from '../clients/client.ts'
import type { Edit } from '../clients/edit-config.ts'
import type { Machine } from '../clients/machine.ts'
import { type FoundEntry, readConfig } from '../clients/read-client-configs.ts'
import type { Journal } from '../clients/journal.ts'
import { appendSecrets } from '../../config/secrets/hide-secrets.ts'
import { type Kept, ignoredServers } from './plan-adopt.ts'

/** The changes to one file of a client. */
export interface FileEdits {
  readonly config: Pick<ClientConfig, 'file' | 'format'>
  readonly edits: readonly Edit[]
}

export interface ClientPart {
  readonly client: McpClient
  /** Its entries that move to Portolan. */
  readonly moved: readonly FoundEntry[]
  /** Its entries that stay in their file and that the client is set to ignore. */
  readonly left: readonly Kept[]
}

/** Returns the edits for one client: they remove its moved entries and add the one for Portolan. */
export function editsFor(
  { client, moved, left }: ClientPart,
  { machine, endpoint }: { machine: Machine; endpoint: Endpoint },
): FileEdits[] {
  const entry = portolanEntry(client, endpoint)
  if (typeof entry === 'string') throw new Error(entry)
  const taken = new Map<ClientConfig, Edit[]>()
  for (const { clientConfig, name } of moved)
    getOrMake(taken, clientConfig, () => []).push({
      path: [...clientConfig.keys, name],
      value: undefined,
    })
  for (const place of placesFor({ client, machine, scope: 'user' }, [...taken.keys()])) {
    const known = [...taken.keys()].find((each) => isSamePlace(each, place)) ?? place
    getOrMake(taken, known, () => []).push({ path: [...place.keys, NAME], value: entry })
  }
  const names = left.map(({ found }) => found.name)
  return [
    ...[...taken].map(([config, edits]) => ({ config, edits })),
    ...(names.length > 0 ? [leaveToPortolan(names, machine)] : []),
  ]
}

/** Returns where to add Portolan: each user file that had servers, or the client's default file. */
function placesFor(connection: Connection, emptied: readonly ClientConfig[]): ClientConfig[] {
  const own = emptied.filter(({ scope, writable }) => scope === 'user' && writable)
  return own.length > 0 ? own : [clientConfigOf(connection)]
}

function isSamePlace(one: ClientConfig, other: ClientConfig): boolean {
  return one.file === other.file && one.keys.join('\0') === other.keys.join('\0')
}

/** Makes Claude Code, which also reads a project's `.mcp.json`, ignore servers Portolan serves. */
function leaveToPortolan(names: readonly string[], machine: Machine): FileEdits {
  const { file, path, value } = ignoredServers(machine)
  return { config: { file, format: 'json' }, edits: [{ path, value: [...value, ...names] }] }
}

/** Edits a client's files one after another. Returns the error message if one of them fails. */
export function applyEdits(journal: Journal, files: readonly FileEdits[]): string | undefined {
  try {
    for (const { config, edits } of files) journal.edit(config, edits)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

export interface OwnFiles {
  readonly machine: Machine
  readonly home: string
  readonly target: string
  readonly secrets: ReadonlyMap<string, string>
}

/** Writes the servers to the user's own file, and stores their secrets. */
export async function writeUserServers(
  journal: Journal,
  moved: readonly PlannedServer[],
  { machine, home, target, secrets }: OwnFiles,
): Promise<void> {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  if (secrets.size > 0) {
    const file = secretsFile(home)
    const lines = formatSecrets(secrets).trimEnd().split('\n')
    await journal.change(file, () => appendSecrets(home, machine.env, secrets), lines)
  }
  const edits = toEdits(moved)
  if (edits.length > 0) journal.edit({ file: target, format: 'json' }, edits, 0o600)
  switchBuiltinsOn(journal, join(dirname(target), FILE_NAMES.settings))
}

/** Other servers would hide the built-in ones, which are as useful beside them. */
function switchBuiltinsOn(journal: Journal, file: string): void {
  const { builtins } = readConfig({ file, format: 'yaml' })
  const edits = BUILTINS.map(({ name }) => ({ path: ['builtins', name], value: true })).filter(
    ({ path: [, name = ''] }) => !isObject(builtins) || builtins[name] === undefined,
  )
  if (edits.length > 0) journal.edit({ file, format: 'yaml' }, edits, 0o600)
}
