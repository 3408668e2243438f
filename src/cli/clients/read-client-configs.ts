import { GatewayError } from '../../gateway/errors.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { textOf } from '../../config/text-of.ts'
import type { McpClient, ClientConfig } from './client.ts'
import type { Machine } from './machine.ts'
import { parseConfig } from './parse-config.ts'

/** An entry in a client's file. */
export interface FoundEntry {
  readonly client: McpClient
  readonly clientConfig: ClientConfig
  readonly name: string
  readonly entry: unknown
  /** The other project it belongs to, if it is neither the user's nor of the current folder. */
  readonly elsewhere?: string
}

export interface FoundEntries {
  readonly entries: readonly FoundEntry[]
  /** Messages about files that exist but cannot be read. */
  readonly problems: readonly string[]
}

/** Reads all servers that the clients have configured; starts nothing. */
export function readClientConfigs(clients: readonly McpClient[], machine: Machine): FoundEntries {
  const entries: FoundEntry[] = []
  const problems: string[] = []
  for (const client of clients) {
    for (const clientConfig of distinct(client.configFiles(machine))) {
      try {
        entries.push(...readServers(client, clientConfig))
        if (client.id === 'claude-code' && clientConfig.keys[0] === 'projects')
          entries.push(...otherProjects(client, clientConfig, machine.cwd))
      } catch (error) {
        const said =
          error instanceof GatewayError ? error.message : `${clientConfig.file}: ${String(error)}`
        if (!problems.includes(said)) problems.push(said)
      }
    }
  }
  return { entries, problems }
}

/** Drops duplicates: in the home folder, a client's user and project files are the same. */
function distinct(configFiles: readonly ClientConfig[]): ClientConfig[] {
  const places = configFiles.map(
    (clientConfig) => [[clientConfig.file, ...clientConfig.keys].join('\0'), clientConfig] as const,
  )
  return [...new Map(places.toReversed()).values()].toReversed()
}

/** Returns the servers of one file and section; none if there is no file. */
export function readServers(client: McpClient, clientConfig: ClientConfig): FoundEntry[] {
  const found = valueAt(readConfig(clientConfig), clientConfig.keys)
  if (!isObject(found)) return []
  return Object.entries(found).map(([name, entry]) => ({ client, clientConfig, name, entry }))
}

export function readConfig(clientConfig: Pick<ClientConfig, 'file' | 'format'>): JsonObject {
  return parseConfig(textOf(clientConfig.file), clientConfig)
}

export function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  )
}

function otherProjects(client: McpClient, clientConfig: ClientConfig, cwd: string): FoundEntry[] {
  const projects = readConfig(clientConfig)['projects']
  if (!isObject(projects)) return []
  return Object.keys(projects)
    .filter((path) => path !== cwd)
    .flatMap((path) =>
      readServers(client, { ...clientConfig, keys: ['projects', path, 'mcpServers'] }).map(
        (entry) => ({
          ...entry,
          elsewhere: path,
        }),
      ),
    )
}
