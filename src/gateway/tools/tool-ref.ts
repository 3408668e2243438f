import { createHash } from 'node:crypto'
import { groupBy } from '../../base/maps.ts'

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
const HASH_DIGITS = [6, 16, 40]

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
 * Whether a name says by itself which tool it means: it is `server__tool`, and can be read only in
 * that way. Its meaning then follows from the configuration, in every process.
 */
export function explainsItself(name: string, { server, name: own }: ToolRef): boolean {
  return (
    name.length === server.length + SEPARATOR.length + own.length &&
    name.indexOf(SEPARATOR) === server.length &&
    name.lastIndexOf(SEPARATOR) === server.length &&
    name.startsWith(server) &&
    name.endsWith(own)
  )
}

/**
 * Gives each tool a unique name, in characters that every client accepts: `server__tool` if that is
 * short, plain and unique. All tools that would share a name end in a hash instead, so that a new
 * server cannot take over the name of another's tool. So does a tool whose name is not free for it.
 */
export function exposeAll(
  refs: readonly ToolRef[],
  isFree: (name: string, ref: ToolRef) => boolean = () => true,
): Map<string, ToolRef> {
  const digitsOf = new Map<ToolRef, number>()
  const byName = () => groupBy(refs, (ref) => exposedName(ref, digitsOf.get(ref)))
  let groups = byName()
  for (const digits of HASH_DIGITS) {
    const shared = [...groups].flatMap(([name, group]) =>
      group.length > 1 ? group : group.filter((ref) => !isFree(name, ref)),
    )
    if (shared.length === 0) break
    for (const ref of shared) digitsOf.set(ref, digits)
    groups = byName()
  }
  return new Map([...groups].flatMap(([name, [ref]]) => (ref ? [[name, ref] as const] : [])))
}

/** Returns `server__tool`, or a plain name with a hash if that is unsafe, too long or shared. */
export function exposedName({ server, name }: ToolRef, hashDigits = 0): string {
  const full = `${server}${SEPARATOR}${name}`
  const safe = plain(full)
  if (hashDigits === 0 && safe === full && full.length <= MAX_NAME) return full
  // Tools that share a name would share its hash too, so theirs is the hash of the key.
  const hashed = hashDigits === 0 ? full : toolKey({ server, name })
  const hash = createHash('sha256').update(hashed).digest('hex')
  const ending = `_${hash.slice(0, hashDigits || HASH_DIGITS[0])}`
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
