import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Probe, probeServers } from '../../app/health/probe-servers.ts'
import { loadSettings } from '../../config/load.ts'
import { parseServers } from '../../config/servers/parse-servers.ts'
import { readSecrets } from '../../config/secrets/stored-secrets.ts'
import type { Machine } from './machine.ts'
import type { JsonObject } from '../../base/json/json.ts'

export type Cost = Omit<Probe, 'name'>

/** A server as in `.mcp.json`, secrets included; `entry` is undefined if it cannot be converted. */
export interface Candidate {
  readonly name: string
  readonly entry: JsonObject | undefined
}

export interface MeasureOptions {
  readonly machine: Machine
  readonly timeoutMs: number
  readonly onProgress?:
    | ((done: number, total: number, waitingFor?: readonly string[]) => void)
    | undefined
}

/** Starts or contacts each server as its client would, and counts its tool definitions. */
export async function measureCosts<One extends Candidate>(
  candidates: readonly One[],
  { machine, timeoutMs, onProgress }: MeasureOptions,
): Promise<Map<One, Cost>> {
  // Two clients may use one name for different servers, so the key is their index.
  const plans = new Map(
    candidates.flatMap((one, index) => (isWanted(one) ? [[String(index), one] as const] : [])),
  )
  const settings = loadSettings({ env: machine.env, cwd: machine.cwd })
  const costs = new Map<One, Cost>()
  const content = {
    mcpServers: Object.fromEntries([...plans].map(([key, { entry }]) => [key, entry])),
  }
  const env = { ...readSecrets(settings.home, machine.env), ...machine.env }
  const file = `${machine.cwd}/.mcp.json`
  const { servers, problems } = parseServers(content, file, env)
  for (const [key, plan] of plans)
    if (!servers.has(key)) {
      const problem = problems.find(({ path }) => path.startsWith(`mcpServers.${key}`))
      costs.set(plan, { ...FAILED, error: problem?.message ?? 'not a server we can start' })
    }
  // They are not in our configuration yet, so a temporary folder holds what is stored about them.
  const home = mkdtempSync(join(tmpdir(), 'portolan-import-'))
  const config = { servers, settings: { ...settings, home } }
  const waiting = new Set(servers.keys())
  const report = () =>
    onProgress?.(
      servers.size - waiting.size,
      servers.size,
      [...waiting].map((key) => plans.get(key)?.name ?? key),
    )
  report()
  const probes = await probeServers(config, {
    timeoutMs,
    onProbe({ name }) {
      waiting.delete(name)
      report()
    },
  }).finally(() => rmSync(home, { recursive: true, force: true }))
  for (const { name, ...cost } of probes) {
    const plan = plans.get(name)
    if (plan) costs.set(plan, withName(cost, name, plan.name))
  }
  return costs
}

/** Disabled servers cost nothing. */
function isWanted({ entry }: Candidate): boolean {
  return entry !== undefined && entry['disabled'] !== true
}

const FAILED = { ms: 0, tools: undefined, denied: [], tokens: undefined, definitions: [] }

/** Replaces the numeric key in errors by the server's name. */
function withName(cost: Cost, key: string, name: string): Cost {
  if (cost.error === undefined) return cost
  return { ...cost, error: cost.error.replaceAll(`'${key}'`, `'${name}'`) }
}
