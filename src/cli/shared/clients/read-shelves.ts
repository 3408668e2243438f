import { existsSync, readFileSync } from 'node:fs'
import { GatewayError } from '../../../gateway/errors.ts'
import { type JsonObject, isObject } from '../../../base/json.ts'
import type { McpClient, Shelf } from './client.ts'
import type { Machine } from './machine.ts'
import { parseConfig } from './parse-config.ts'

/** An entry as a client has it. */
export interface FoundEntry {
  readonly client: McpClient
  readonly shelf: Shelf
  readonly name: string
  readonly entry: unknown
  /** The other project it belongs to, where it is not for the user or the current folder. */
  readonly elsewhere?: string
}

export interface FoundEntries {
  readonly entries: readonly FoundEntry[]
  /** Files that are there and cannot be read. */
  readonly problems: readonly string[]
}

/** Everything the clients have configured, without starting anything. */
export function readShelves(clients: readonly McpClient[], machine: Machine): FoundEntries {
  const entries: FoundEntry[] = []
  const problems: string[] = []
  for (const client of clients) {
    for (const shelf of distinct(client.shelves(machine))) {
      try {
        entries.push(...readShelf(client, shelf))
        if (client.id === 'claude-code' && shelf.keys[0] === 'projects')
          entries.push(...otherProjects(client, shelf, machine.cwd))
      } catch (error) {
        const said =
          error instanceof GatewayError ? error.message : `${shelf.file}: ${String(error)}`
        if (!problems.includes(said)) problems.push(said)
      }
    }
  }
  return { entries, problems }
}

/** In the home folder, a client's files for the user and for the project are the same. */
function distinct(shelves: readonly Shelf[]): Shelf[] {
  const places = shelves.map((shelf) => [[shelf.file, ...shelf.keys].join('\0'), shelf] as const)
  return [...new Map(places.toReversed()).values()].toReversed()
}

/** The servers of one place; none where there is no file. */
export function readShelf(client: McpClient, shelf: Shelf): FoundEntry[] {
  const found = valueAt(readConfig(shelf), shelf.keys)
  if (!isObject(found)) return []
  return Object.entries(found).map(([name, entry]) => ({ client, shelf, name, entry }))
}

export function readConfig(shelf: Pick<Shelf, 'file' | 'format'>): JsonObject {
  if (!existsSync(shelf.file)) return {}
  return parseConfig(readFileSync(shelf.file, 'utf8'), shelf)
}

export function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  )
}

function otherProjects(client: McpClient, shelf: Shelf, cwd: string): FoundEntry[] {
  const projects = readConfig(shelf)['projects']
  if (!isObject(projects)) return []
  return Object.keys(projects)
    .filter((path) => path !== cwd)
    .flatMap((path) =>
      readShelf(client, { ...shelf, keys: ['projects', path, 'mcpServers'] }).map((entry) => ({
        ...entry,
        elsewhere: path,
      })),
    )
}
