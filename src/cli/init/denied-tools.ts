import { probeServers } from '../../app/health/probe-servers.ts'
import { loadConfig } from '../../config/load.ts'
import type { Machine } from '../clients/machine.ts'
import { createProgressBar } from '../shared/terminal/progress-bar.ts'
import { type Terminal, count } from '../shared/terminal/terminal.ts'

/** Long enough for most starts with npx; `doctor` reports slower servers. */
const TIMEOUT_MS = 15_000
const MAX_NAMES = 12

/** Reports which tools of the servers the rules deny, so that a refusal is no surprise. */
export async function reportDenied(
  { cwd, env }: Machine,
  { line, paint }: Terminal,
): Promise<void> {
  const config = loadConfig({ cwd, env })
  const servers = new Map([...config.servers].filter(([, { kind }]) => kind !== 'builtin'))
  if (servers.size === 0) return
  const bar = createProgressBar('asking the servers for their tools')
  let done = 0
  const probes = await probeServers(
    { ...config, servers },
    { timeoutMs: TIMEOUT_MS, onProbe: () => bar.update(++done, servers.size) },
  )
  bar.end()
  const silent = probes.filter(({ tools }) => tools === undefined)
  if (silent.length > 0)
    line(`  ${count(silent.length, 'server')} did not answer: portolan doctor says why`)
  const denied = probes.flatMap(({ name, denied: tools }) => tools.map((tool) => `${name}.${tool}`))
  const total = probes.reduce((sum, { tools = 0 }) => sum + tools, 0)
  if (total === 0) return
  if (denied.length === 0) return line(`  The rules allow all ${count(total, 'tool')}`)
  const more = denied.length - MAX_NAMES
  const names = `${denied.slice(0, MAX_NAMES).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
  line(`  The rules deny ${denied.length} of ${count(total, 'tool')}: ${names}`)
  line(`  ${paint('gray', 'See .mcp-gateway-rules.json, agents.default.deny, to change that')}`)
}
