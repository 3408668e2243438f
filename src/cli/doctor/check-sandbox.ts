import type { Config } from '../../config/load.ts'
import { findBubblewrap } from '../../upstreams/stdio/bubblewrap/find-bubblewrap.ts'
import { count } from '../shared/terminal/terminal.ts'
import { type Finding, findings } from './finding.ts'

/** Why programs of servers cannot have a sandbox on this machine; undefined if they can. */
export async function whyNoSandbox(): Promise<{ why: string; nextStep: string } | undefined> {
  const found = await findBubblewrap()
  return 'why' in found ? found : undefined
}

/** Checks which programs run in a sandbox, and whether this machine allows one. */
export async function checkSandbox({ servers }: Pick<Config, 'servers'>): Promise<Finding[]> {
  const { ok, warn, fail } = findings('sandbox')
  const programs = [...servers.values()].filter(
    (server) => server.kind === 'stdio' && server.enabled,
  )
  if (programs.length === 0) return []
  const inside = programs.filter((server) => server.kind === 'stdio' && server.sandbox)
  const names = inside.map(({ name }) => name).join(', ')
  const missing = await whyNoSandbox()
  if (missing && inside.length > 0)
    return [fail(`without one these do not start: ${names}; ${missing.why}`, missing.nextStep)]
  const outside = `${count(programs.length - inside.length, 'server')} with all your rights`
  if (!missing)
    return [ok(inside.length === 0 ? `possible; ${outside}` : `${names} run in one, ${outside}`)]
  return process.platform === 'linux'
    ? [warn(`none is possible, ${outside}: ${missing.why}`, missing.nextStep)]
    : [ok(`none is possible, ${outside}: ${missing.why}`)]
}
