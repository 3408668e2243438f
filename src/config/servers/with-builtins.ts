import { BUILTINS } from '../../builtins/index.ts'
import type { BuiltinServer, ServerConfig } from './servers.ts'
import type { Settings } from '../settings/settings.ts'

export type Servers = ReadonlyMap<string, ServerConfig>

/** Created once, because an unchanged server must stay the same object across reloads. */
const ENTRIES: readonly BuiltinServer[] = BUILTINS.map(({ name, description, defaults = {} }) => ({
  kind: 'builtin',
  name,
  description,
  builtin: name,
  enabled: true,
  protocol: 'auto',
  session: 'auto',
  extra: defaults,
}))

/** Returns the servers of the files and the wanted built-in ones. */
export function withBuiltins(servers: Servers, wanted: Settings['builtins']): Servers {
  const added = ENTRIES.filter(({ name, builtin }) => {
    const setting = wanted[builtin]
    return !servers.has(name) && (setting === 'auto' ? servers.size === 0 : setting)
  })
  if (added.length === 0) return servers
  return new Map([...servers, ...added.map((entry) => [entry.name, entry] as const)])
}
