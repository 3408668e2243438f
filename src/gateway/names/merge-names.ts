import type { NameMap, NameRecord, OwnNames, ServerRecord } from './name-map.ts'
import { laterNames, serversHere } from './servers-here.ts'

export const DAY_MS = 86_400_000
/** How long the names of a removed server are not given to another. */
const KEEP_REMOVED_MS = 7 * DAY_MS
/** How long an unused name is kept, and how long the former name of a server is known. */
const KEEP_DAYS = 90
/** Beyond these limits, the entries that were unused for the longest time are dropped. */
const MAX_NAMES = 5_000
const MAX_SERVERS = 1_000
/** Names are short; longer ones are not stored. */
const MAX_CHARACTERS = 500

/**
 * Merges the names of a process into the stored ones. A stored name keeps its meaning. Merging
 * again on the same day changes nothing, so there is nothing to write while nothing is new.
 */
export function mergeNames(stored: NameMap, own: OwnNames, now = Date.now()): NameMap {
  const servers = new Map(stored.servers)
  for (const [former, to] of own.renamed) noteRename(servers, former, { to, own, now })
  const known = { servers: new Map(servers) }
  const here = serversHere(known, own.servers)
  const newest = (server: string) => laterNames(known, server).at(-1) ?? server
  /** Servers that have lost their name, and the name under which their names are kept. */
  const moved = new Map<string, string>()
  for (const [server, record] of known.servers)
    if (!own.servers.has(server) && isOver(record, now)) {
      moved.set(server, here(server) ?? newest(server))
      servers.delete(server)
    }
  for (const [server, fingerprint] of own.servers) {
    const record = servers.get(server)
    if (record?.renamedTo !== undefined) {
      const isOther = !isConfiguredAs(record, fingerprint)
      if (isOther) moved.set(server, newest(server))
      // Other processes have a newer configuration, in which this very server has another name.
      else if (servers.has(record.renamedTo)) continue
    }
    servers.set(server, toRecord(record, fingerprint, now))
  }
  trim(servers, MAX_SERVERS, ({ seenAt }) => seenAt)
  const today = Math.floor(now / DAY_MS)
  const names = (kind: 'tools' | 'prompts') => {
    const kept = keepNames(stored[kind], { servers, moved, today })
    addNames(kept, own[kind], { servers, newest, today })
    trim(kept, MAX_NAMES, ({ usedOn }) => usedOn)
    return kept
  }
  return { servers, tools: names('tools'), prompts: names('prompts') }
}

type Servers = Map<string, ServerRecord>

/** Records a rename, unless the name is another server's by now, or it was the other way round. */
function noteRename(
  servers: Servers,
  former: string,
  { to, own, now }: { readonly to: string; readonly own: OwnNames; readonly now: number },
): void {
  const fingerprint = own.servers.get(to) ?? ''
  const known = servers.get(former) ?? { fingerprint, seenAt: now }
  if (known.renamedTo !== undefined || known.fingerprint !== fingerprint) return
  if (laterNames({ servers }, to).includes(former)) return
  servers.set(former, { ...known, seenAt: now, renamedTo: to })
}

/** Former names of renamed servers are kept longer than those of removed servers. */
function isOver({ seenAt, renamedTo }: ServerRecord, now: number): boolean {
  const keepMs = renamedTo === undefined ? KEEP_REMOVED_MS : KEEP_DAYS * DAY_MS
  return now - seenAt > keepMs
}

/** Whether the configuration is the same; one that cannot be read now may be any. */
function isConfiguredAs(known: ServerRecord, fingerprint: string): boolean {
  return fingerprint === '' || fingerprint === known.fingerprint
}

function toRecord(known: ServerRecord | undefined, fingerprint: string, now: number): ServerRecord {
  if (!known) return { fingerprint, seenAt: now }
  const isFresh = known.renamedTo === undefined && now - known.seenAt < DAY_MS
  if (isFresh && isConfiguredAs(known, fingerprint)) return known
  return { fingerprint: fingerprint || known.fingerprint, seenAt: now }
}

interface Keeping {
  readonly servers: Servers
  readonly moved: ReadonlyMap<string, string>
  readonly today: number
}

/** Keeps the names of servers that are still known, under their current names. */
function keepNames(
  names: NameMap['tools'],
  { servers, moved, today }: Keeping,
): Map<string, NameRecord> {
  const kept = new Map<string, NameRecord>()
  for (const [name, record] of names) {
    const server = moved.get(record.server) ?? record.server
    if (!servers.has(server) || today - record.usedOn > KEEP_DAYS) continue
    kept.set(name, server === record.server ? record : { ...record, server })
  }
  return kept
}

interface Adding {
  readonly servers: Servers
  /** Returns the last name of a server that is stored. */
  readonly newest: (server: string) => string
  readonly today: number
}

function addNames(
  names: Map<string, NameRecord>,
  own: OwnNames['tools'],
  { servers, newest, today }: Adding,
): void {
  for (const [name, ref] of own) {
    const known = names.get(name)
    if (!known) {
      const isShort = name.length + ref.server.length + ref.name.length <= MAX_CHARACTERS
      if (isShort && servers.has(ref.server))
        names.set(name, { server: ref.server, name: ref.name, usedOn: today })
    } else if (known.usedOn !== today) {
      const isSame = known.name === ref.name && newest(known.server) === newest(ref.server)
      if (isSame) names.set(name, { ...known, usedOn: today })
    }
  }
}

/** Drops entries of the lowest rank first. */
function trim<Value>(entries: Map<string, Value>, most: number, rank: (value: Value) => number) {
  if (entries.size <= most) return
  const oldest = [...entries].toSorted(([, one], [, other]) => rank(one) - rank(other))
  for (const [key] of oldest.slice(0, entries.size - most)) entries.delete(key)
}
