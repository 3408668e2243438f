import { BUILTINS, type BuiltinName } from '../../builtins/index.ts'
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

/** Returns the name of the enabled server that is this built-in, if there is one. */
export function serverOf(builtin: BuiltinName, servers: Servers): string | undefined {
  const found = [...servers.values()].find(
    (server) => server.kind === 'builtin' && server.builtin === builtin && server.enabled,
  )
  return found?.name
}

/** Says what it means that a built-in is left out, for those who store something for it. */
export function whyUnserved(builtin: BuiltinName): string {
  return `agents cannot use this yet: the gateway of this folder has no ${builtin} server`
}

/** Says how to serve a built-in that the configuration leaves out. */
export function howToServe(builtin: BuiltinName): string {
  return `Set builtins.${builtin}: true in portolan.yaml, or add {"mcpServers": {"${builtin}": {"builtin": "${builtin}"}}} to .mcp.json.`
}

interface ServedConfig {
  readonly servers: Servers
  readonly settings: Pick<Settings, 'builtins'>
}

/** Whether a built-in is not served only because there are other servers: nobody switched it off. */
export function isLeftOut(builtin: BuiltinName, { servers, settings }: ServedConfig): boolean {
  const entries = [...servers.values()].filter((server) => server.kind === 'builtin')
  return (
    settings.builtins[builtin] === 'auto' && entries.every((entry) => entry.builtin !== builtin)
  )
}
