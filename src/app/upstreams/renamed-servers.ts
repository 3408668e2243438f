import type { ServerConfig } from '../../config/servers/servers.ts'

/**
 * Servers that one configuration has under one name and the next under another, with nothing else
 * changed; from the old name to the new. Where two are configured alike, nobody can say which is which.
 */
export function renamedServers(
  before: readonly ServerConfig[],
  after: readonly ServerConfig[],
): Map<string, string> {
  const left = byConfiguration(without(before, after))
  const came = byConfiguration(without(after, before))
  const renamed = new Map<string, string>()
  for (const [configuration, [from, ...alike]] of left) {
    const [to, ...others] = came.get(configuration) ?? []
    if (from === undefined || to === undefined || alike.length > 0 || others.length > 0) continue
    renamed.set(from, to)
  }
  return renamed
}

function without(servers: readonly ServerConfig[], others: readonly ServerConfig[]) {
  const names = new Set(others.map(({ name }) => name))
  return servers.filter(({ name }) => !names.has(name))
}

/** The names of servers by all else that is said of them. */
function byConfiguration(servers: readonly ServerConfig[]): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const { name, ...rest } of servers) {
    if (rest.kind === 'broken') continue
    const key = JSON.stringify(rest)
    names.set(key, [...(names.get(key) ?? []), name])
  }
  return names
}
