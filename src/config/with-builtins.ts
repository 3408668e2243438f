import { BUILTINS, type BuiltinServer, type ServerConfig } from './servers.ts'
import type { Settings } from './settings.ts'

type Servers = ReadonlyMap<string, ServerConfig>

const DESCRIPTIONS = {
  code: 'Search, symbols and dependencies of the project you work in',
  knowledge: 'Documents of the team, with citations',
  traces: 'Problems that agents have solved before',
}

/** Made once: a server that did not change must stay the same object over reloads. */
const ENTRIES: readonly BuiltinServer[] = BUILTINS.map((name) => ({
  kind: 'builtin',
  name,
  description: DESCRIPTIONS[name],
  builtin: name,
  enabled: true,
  protocol: 'auto',
  session: 'auto',
  // Nobody who configures nothing should have to index anything either.
  extra: name === 'code' ? { autoIndex: true } : {},
}))

/** The servers of the file, and those that come with Portolan where they are wanted. */
export function withBuiltins(servers: Servers, wanted: Settings['builtins']): Servers {
  const added = ENTRIES.filter(({ name, builtin }) => {
    const wish = wanted[builtin]
    return !servers.has(name) && (wish === 'auto' ? servers.size === 0 : wish)
  })
  if (added.length === 0) return servers
  return new Map([...servers, ...added.map((entry) => [entry.name, entry] as const)])
}
