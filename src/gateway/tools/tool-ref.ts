import { createHash } from 'node:crypto'
import { groupBy } from '../../base/maps.ts'

/** One tool (or prompt) of one server. */
export interface ToolRef {
  readonly server: string
  readonly name: string
}

/** The most characters a tool name may have for the APIs that models are called through. */
const MAX_NAME = 64
const SEPARATOR = '__'
/** How many digits of its hash a name ends in; more only where fewer do not tell two names apart. */
const HASH_DIGITS = [6, 16, 40]

/** Equal for the same tool only: a server's name never holds a line break, which its tools' may. */
export function toolKey({ server, name }: ToolRef): string {
  return `${server}\n${name}`
}

/**
 * What `server.tool` or `server__tool` may mean, longest server name first: both separators may
 * are in names as well, so only the names of the servers tell where one ends.
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
 * Whether a name says by itself which tool it means: it is `server__tool`, and can be read in that way
 * only. What it means follows from the configuration, in every process.
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
 * A name of its own for each, in the characters every client accepts. `server__tool` where that is
 * short, plain and nobody else's; all those that would share a name end in a hash instead, so that
 * a new server cannot take over the name of another's tool. So does one whose name is not free for it.
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

/** `server__tool`, or the nearest plain name ended by a hash when that is unsafe, too long or shared. */
export function exposedName({ server, name }: ToolRef, hashDigits = 0): string {
  const full = `${server}${SEPARATOR}${name}`
  const safe = full.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  if (hashDigits === 0 && safe === full && full.length <= MAX_NAME) return full
  // Those that share a name share its hash too: theirs is of the key.
  const hashed = hashDigits === 0 ? full : toolKey({ server, name })
  const hash = createHash('sha256').update(hashed).digest('hex')
  const ending = `_${hash.slice(0, hashDigits || HASH_DIGITS[0])}`
  return `${safe.slice(0, MAX_NAME - ending.length)}${ending}`
}
