import { BUILTINS } from '../../builtins/index.ts'
import type { BuiltinServer, ServerConfig } from './servers.ts'
import type { Settings } from '../settings/settings.ts'

export type Servers = ReadonlyMap<string, ServerConfig>

/** Made once: a server that did not change must stay the same object over reloads. */
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

/** The servers of the file, and those that come with Portolan where they are wanted. */
export function withBuiltins(servers: Servers, wanted: Settings['builtins']): Servers {
  const added = ENTRIES.filter(({ name, builtin }) => {
    const setting = wanted[builtin]
    return !servers.has(name) && (setting === 'auto' ? servers.size === 0 : setting)
  })
  if (added.length === 0) return servers
  return new Map([...servers, ...added.map((entry) => [entry.name, entry] as const)])
}
