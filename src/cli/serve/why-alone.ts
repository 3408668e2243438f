import { readBoolean } from '../../base/setting-table.ts'
import { FILE_KINDS, type Workspace, explicitPath } from '../../config/paths.ts'
import type { Settings } from '../../config/settings/settings.ts'
import type { ServeFlags } from './serve-flags.ts'

/**
 * Returns why a process of these flags, variables and settings keeps to itself; undefined if it may
 * be, or join, the gateway of all clients of the person.
 */
export function whyAlone(
  { mcp, rules, config, alone }: ServeFlags,
  place: Workspace,
  settings: Settings | undefined,
): string | undefined {
  const { env } = place
  if (alone) return '--alone was given'
  if (readBoolean(env['PORTOLAN_ALONE'] ?? '') === true) return 'PORTOLAN_ALONE is set'
  const flags = { mcp, rules, settings: config }
  const named = FILE_KINDS.map((kind) => explicitPath(kind, place, flags[kind])).find(
    (path) => path !== undefined,
  )
  if (named !== undefined) return `a flag or a variable names its files (${named})`
  if (settings?.shared.enabled === false) return 'shared.enabled is false'
  return settings === undefined ? 'its settings have mistakes' : undefined
}
