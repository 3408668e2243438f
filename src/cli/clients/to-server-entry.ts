import { join } from 'node:path'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { convertEntry } from '../../config/servers/add/convert-entry.ts'
import { parseServers } from '../../config/servers/parse-servers.ts'
import { isTeamFile } from './client.ts'
import type { FoundEntry } from './read-client-configs.ts'
import type { Machine } from './machine.ts'

/** An entry of `.mcp.json` and what it cannot express, or the reason it cannot be converted. */
export type ConversionResult =
  | { readonly entry: JsonObject; readonly notes: readonly string[] }
  | { readonly problem: string }

/** Converts a client's entry, which has names of its own, to an entry of `.mcp.json`. */
export function toServerEntry(found: FoundEntry, machine: Machine): ConversionResult {
  const { client, entry } = found
  if (!isObject(entry)) return { problem: 'it is not an object' }
  const own = client.read ? client.read(entry) : entry
  if (typeof own === 'string') return { problem: own }
  if (usesWorkspace(own) && isElsewhere(found, machine))
    return {
      problem: `it uses \${workspaceFolder}, which only ${client.name} knows: it stays there`,
    }
  const whole = convertEntry(own, machine, client.variables)
  if (!whole)
    return {
      problem: Object.keys(own).length === 0 ? 'it is empty' : 'it has neither a command nor a URL',
    }
  const mistake = mistakeIn(whole, found.name, machine)
  if (mistake !== undefined) return { problem: mistake }
  return { entry: whole, notes: notesOn(own, client.name) }
}

/** Returns why `.mcp.json` would reject the entry, which then stays in its file to be corrected. */
function mistakeIn(entry: JsonObject, name: string, { cwd, env }: Machine): string | undefined {
  const content = { mcpServers: { [name]: entry } }
  const [problem] = parseServers(content, join(cwd, '.mcp.json'), env).problems
  return problem && hide(problem.message.replace(`Server "${name}": `, ''))
}

function usesWorkspace(entry: JsonObject): boolean {
  return /\$\{workspace(Folder|Root)/.test(JSON.stringify(entry))
}

/** Whether the file serves other projects or machines, where the current folder would be wrong. */
function isElsewhere({ clientConfig }: FoundEntry, machine: Machine): boolean {
  return clientConfig.scope === 'user' || isTeamFile(clientConfig, machine)
}

/** Keys that were converted, or that mean nothing outside the client. */
const KNOWN = new Set(
  'command args env envFile cwd url serverUrl headers type transport source gallery version name '
    .concat('description disabled enabled timeout_ms disabledTools disabled_tools excludeTools ')
    .concat('includeTools enabled_tools tools')
    .split(' '),
)

function notesOn(entry: JsonObject, client: string): string[] {
  return Object.entries(entry)
    .filter(([key, value]) => !KNOWN.has(key) && !isEmpty(value))
    .map(([key]) => `"${key}" is a setting of ${client} that Portolan does not have`)
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
