import type { NameMap, OwnNames } from './name-map.ts'

/** More renames than any server has while its names are stored. */
const MAX_RENAMES = 20

/** Returns a server's name and the names it had after that, the newest last. */
export function laterNames(map: Pick<NameMap, 'servers'>, server: string): string[] {
  const names = new Set([server])
  for (let at = server; names.size < MAX_RENAMES;) {
    const next = map.servers.get(at)?.renamedTo
    if (next === undefined || names.has(next)) break
    names.add(next)
    at = next
  }
  return [...names]
}

/**
 * Returns the name that a stored server has in this process: its own, a later one, or an earlier
 * one if other processes have a newer configuration. Undefined if it is not configured.
 */
export function serversHere(
  map: Pick<NameMap, 'servers'>,
  servers: OwnNames['servers'],
): (server: string) => string | undefined {
  const earlier = new Map<string, string>()
  for (const [name, fingerprint] of servers)
    if (map.servers.get(name)?.fingerprint === fingerprint)
      for (const later of laterNames(map, name)) if (!servers.has(later)) earlier.set(later, name)
  return (server) => {
    const names = laterNames(map, server)
    const now = names.find((name) => servers.has(name))
    if (now !== undefined) return now
    const known = names.find((name) => earlier.has(name))
    return known === undefined ? undefined : earlier.get(known)
  }
}
