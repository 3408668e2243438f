import { createHash } from 'node:crypto'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { getOrMake } from '../../base/maps.ts'

/** Servers by name, each with the fingerprint of its configuration; '' where it has none. */
export type Fingerprints = ReadonlyMap<string, string>

/** Returns a hash of a server's configuration without its name; '' if it cannot be read. */
export function fingerprintOf(config: ServerConfig | undefined): string {
  if (!config || config.kind === 'broken') return ''
  const { name: _, ...rest } = config
  return createHash('sha256').update(JSON.stringify(rest)).digest('hex').slice(0, 32)
}

/**
 * Finds servers whose name changed between two configurations, and nothing else; maps the old name
 * to the new. Servers with equal configurations cannot be told apart and are left out.
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

/** Groups by fingerprint the names that `others` does not have. */
function byFingerprint(servers: Fingerprints, others: Fingerprints): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const [name, fingerprint] of servers)
    if (fingerprint !== '' && !others.has(name)) getOrMake(names, fingerprint, () => []).push(name)
  return names
}
