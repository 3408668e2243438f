import { createHash } from 'node:crypto'
import { groupBy } from '../../base/maps.ts'
import type { Tool } from '../upstream.ts'

/** One tool (or prompt) of one server. */
export interface ToolRef {
  readonly server: string
  readonly name: string
}

/**
 * The APIs that models are called through allow 64 characters in the name of a tool. Claude Code and
 * others put the name of the server before it, and one name that is too long stops a whole session.
 */
const MAX_NAME = 64 - 'mcp__portolan__'.length
const SEPARATOR = '__'
/** Digits of the hash at the end of a name; more only if fewer do not tell two names apart. */
const HASH_DIGITS = 6
const LONGER_HASHES = [16, 40]

/** Returns the name of a tool for agents, without that of its server. */
export function shownName({ name, definition }: Pick<Tool, 'name' | 'definition'>): string {
  const { name: shown } = definition
  return typeof shown === 'string' ? shown : name
}

/** Returns a unique key: the name of a server, unlike that of a tool, has no line breaks. */
export function toolKey({ server, name }: ToolRef): string {
  return `${server}\n${name}`
}

/**
 * Returns what `server.tool` or `server__tool` may mean, longest server name first: names may
 * contain both separators, so only the names of the servers tell where one ends.
 */
export function parseToolRef(text: string, servers: Iterable<string>): ToolRef[] {
  const refs: ToolRef[] = []
  for (const server of servers) {
    if (!text.startsWith(server)) continue
    const rest = text.slice(server.length)
    const separator = ['.', SEPARATOR].find((one) => rest.startsWith(one))
    if (separator !== undefined && rest.length > separator.length)
      refs.push({ server, name: rest.slice(separator.length) })
  }
  return refs.toSorted((a, b) => b.server.length - a.server.length)
}

/**
 * Gives each tool its exposed name. Tools that share one, because of a tool whose name ends like a
 * hash, all get a longer hash instead, so that no server can take over the name of another's tool.
 */
export function exposeAll<Ref extends ToolRef>(refs: readonly Ref[]): Map<string, Ref> {
  const digitsOf = new Map<Ref, number>()
  const byName = () => groupBy(refs, (ref) => exposedName(ref, digitsOf.get(ref)))
  let groups = byName()
  for (const digits of LONGER_HASHES) {
    const shared = [...groups.values()].filter((group) => group.length > 1).flat()
    if (shared.length === 0) break
    for (const ref of shared) digitsOf.set(ref, digits)
    groups = byName()
  }
  return new Map([...groups].flatMap(([name, [ref]]) => (ref ? [[name, ref] as const] : [])))
}

/**
 * Returns `server__tool` if that is short, in characters that every client accepts, and can be read
 * in no other way: the first separator ends the name of the server. Otherwise returns as much of it
 * as there is room for, and a hash of both.
 */
export function exposedName({ server, name }: ToolRef, hashDigits = 0): string {
  const full = `${server}${SEPARATOR}${name}`
  const safe = plain(full)
  const isClear = full.indexOf(SEPARATOR) === server.length
  if (hashDigits === 0 && isClear && safe === full && full.length <= MAX_NAME) return full
  // Tools that share a name must not share its hash too.
  const hashed = isClear && hashDigits === 0 ? full : toolKey({ server, name })
  const hash = createHash('sha256').update(hashed).digest('hex')
  const ending = `_${hash.slice(0, hashDigits || HASH_DIGITS)}`
  return `${shortened(safe, plain(name), MAX_NAME - ending.length)}${ending}`
}

function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
}

/** Enough of a server's name to tell servers apart. */
const MIN_SERVER = 8

/** Shortens a name; cuts the server name first, as the tool name says what the tool does. */
function shortened(full: string, tool: string, most: number): string {
  if (full.length <= most) return full
  const room = Math.max(most - SEPARATOR.length - tool.length, MIN_SERVER)
  const server = full.slice(0, -(SEPARATOR.length + tool.length)).slice(0, room)
  return `${server}${SEPARATOR}${tool}`.slice(0, most)
}
