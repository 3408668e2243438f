import { createHash } from 'node:crypto'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { getOrMake } from '../../base/maps.ts'

/** Servers by name, each with the fingerprint of its configuration; '' where it has none. */
export type Fingerprints = ReadonlyMap<string, string>

/** Of all that is said of a server but for its name; '' where that cannot be read. */
export function fingerprintOf(config: ServerConfig | undefined): string {
  if (!config || config.kind === 'broken') return ''
  const { name: _, ...rest } = config
  return createHash('sha256').update(JSON.stringify(rest)).digest('hex').slice(0, 32)
}

/**
 * Servers that one configuration has under one name and the next under another, with nothing else
 * changed; from the old name to the new. Where two are configured alike, nobody can say which is which.
 */
export function renamedServers(before: Fingerprints, after: Fingerprints): Map<string, string> {
  const left = byFingerprint(before, after)
  const came = byFingerprint(after, before)
  const renamed = new Map<string, string>()
  for (const [fingerprint, [from, ...alike]] of left) {
    const [to, ...others] = came.get(fingerprint) ?? []
    if (from === undefined || to === undefined || alike.length > 0 || others.length > 0) continue
    renamed.set(from, to)
  }
  return renamed
}

/** The names of those that the others do not have. */
function byFingerprint(servers: Fingerprints, others: Fingerprints): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const [name, fingerprint] of servers)
    if (fingerprint !== '' && !others.has(name)) getOrMake(names, fingerprint, () => []).push(name)
  return names
}
