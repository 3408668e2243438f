import type { NameMap, OwnNames } from './name-map.ts'

/** No server is renamed so often while its names are stored. */
const MOST_RENAMES = 20

/** A server and the names it had after that, the newest last. */
export function laterNames(map: Pick<NameMap, 'servers'>, server: string): string[] {
  const names = new Set([server])
  for (let at = server; names.size < MOST_RENAMES;) {
    const next = map.servers.get(at)?.renamedTo
    if (next === undefined || names.has(next)) break
    names.add(next)
    at = next
  }
  return [...names]
}

/**
 * The name that a stored server has in this process: its own, one that it was given later, or an earlier
 * one, where the others have a newer configuration than this process. Undefined where it is not configured.
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
