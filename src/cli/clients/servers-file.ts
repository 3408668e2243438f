import { basename, resolve } from 'node:path'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { FILE_NAMES, type Workspace, dataFolder, findFiles, userFile } from '../../config/paths.ts'
import { unlockServer } from '../../config/lock/write-locked.ts'
import { readSecrets } from '../../config/secrets/stored-secrets.ts'
import { variablesIn } from '../../config/secrets/variables.ts'
import { variablesOf } from '../../config/servers/variables-of.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type Edit, editConfig } from './edit-config.ts'
import type { Machine } from './machine.ts'
import { readConfig } from './read-client-configs.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { textOf } from '../../config/text-of.ts'
import { trustWritten } from '../../config/trust/record-trust.ts'

/** Where servers are written: a named file, the project's, or the user's own. */
export interface ServersLocation {
  readonly machine: Machine
  readonly mcp?: string | undefined
  readonly project?: boolean | undefined
}

export interface Written {
  readonly file: string
  /** The names of the stored variables that only the entry used. */
  readonly variables: readonly string[]
}

/** Removes an entry; its variables are the stored ones that no other server here uses. */
export function removeServer(name: string, place: ServersLocation): Written {
  const { machine } = place
  const file = fileOf(name, place)
  const used = variablesIn(JSON.stringify(serversIn(file)[name]))
  editServers(file, machine, [{ path: ['mcpServers', name], value: undefined }])
  unlockServer(machine, file, name)
  const stored = readSecrets(dataFolder(machine), machine.env)
  const needed = [...variablesIn(textOf(file)), ...variablesOf(machine.cwd, machine.env)]
  const variables = used.filter((each) => Object.hasOwn(stored, each) && !needed.includes(each))
  return { file, variables }
}

/** Switches an entry on or off; it stays in its file. */
export function enableServer(name: string, isEnabled: boolean, place: ServersLocation): Written {
  const file = fileOf(name, place)
  const at = ['mcpServers', name]
  editServers(file, place.machine, [
    { path: [...at, 'enabled'], value: undefined },
    { path: [...at, 'disabled'], value: isEnabled ? undefined : true },
  ])
  return { file, variables: [] }
}

/** Returns the file that gets new servers. */
export function fileToWrite({ machine, mcp, project }: ServersLocation): string {
  if (mcp !== undefined) return resolve(machine.cwd, mcp)
  return project ? resolve(machine.cwd, FILE_NAMES.mcp) : userFile('mcp', machine)
}

/** Returns the file whose entry is in force: if both have the name, the project's. */
function fileOf(name: string, { machine, mcp }: ServersLocation): string {
  const files = findFiles('mcp', machine, mcp).map(({ path }) => path)
  const found = files.findLast((file) => serversIn(file)[name] !== undefined)
  if (found !== undefined) return found
  const names = files.flatMap((file) => Object.keys(serversIn(file)))
  throw new GatewayError('SERVER_NOT_FOUND', `There is no server '${name}' in the servers files`, {
    hint:
      didYouMean(name, names) ??
      'portolan server list shows them; those that come with Portolan are switched in portolan.yaml.',
  })
}

/** Returns the entries of a servers file; none if there is no file. */
export function serversIn(file: string): JsonObject {
  const { mcpServers } = readConfig({ file, format: 'json' })
  return isObject(mcpServers) ? mcpServers : {}
}

/** Edits a servers file, and keeps it trusted if its content was trusted before. */
export function editServers(file: string, place: Workspace, edits: readonly Edit[]): void {
  const before = textOf(file)
  const after = editConfig(before, { file, format: 'json' }, edits)
  replaceFile(file, after, 0o600)
  if (basename(file) === FILE_NAMES.mcp) trustWritten(place, file, { before, after })
}
