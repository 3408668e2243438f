import type { JsonObject } from '../../base/json/json.ts'
import type { Config } from '../../config/load.ts'
import type { ServerProbe } from '../../dashboard/contract/servers.ts'
import { createCatalog } from '../../gateway/catalog.ts'
import { effectsIn } from '../../gateway/tools/effect.ts'
import type { Tool, Upstream } from '../../gateway/upstream.ts'
import { META_DEFINITIONS } from '../../surfaces/discover.ts'
import { definitionTokens, probe } from './probe.ts'
import { createQuietPool } from '../upstreams/quiet-pool.ts'
import { type Policy, type Principal, createPolicy } from '../../gateway/agents/policy.ts'

export interface Probe extends ServerProbe {
  readonly name: string
  /** Its tools that the rules deny to the default agent. */
  readonly denied: readonly string[]
  /** Its tools as it lists them; none if it could not be reached. */
  readonly definitions: readonly JsonObject[]
}

export interface ProbeOptions {
  readonly timeoutMs: number
  readonly onProbe?: (probe: Probe) => void
}

/** Servers with or without rules for them. */
type ProbeConfig = Pick<Config, 'servers' | 'settings'> &
  Partial<Pick<Config, 'rules' | 'denials' | 'changedRules'>>

/** Servers probed at once; more than there are cores, as most of the time is waiting. */
const AT_ONCE = 6

/** Starts or reaches every enabled server, lists its tools, and stops what was started. */
export async function probeServers(
  config: ProbeConfig,
  { timeoutMs, onProbe }: ProbeOptions,
): Promise<Probe[]> {
  const pool = createQuietPool(config)
  const upstreams = pool.adopt(config)
  const deniedOf = deniedBy(config, upstreams)
  const waiting = upstreams.entries()
  const probes: Probe[] = []
  async function work(): Promise<void> {
    for (const [index, upstream] of waiting) {
      const { name } = upstream
      const answer = await probe(upstream, timeoutMs)
      const tools = answer.error === undefined ? upstream.listing.tools : []
      const definitions = tools.map(({ definition }) => definition)
      const probed = { ...answer, name, denied: deniedOf(tools), definitions }
      probes[index] = probed
      onProbe?.(probed)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return probes
  } finally {
    await pool.close()
  }
}

/** Returns the tokens of the discovery tools, which would replace the listing. */
export function discoveryTokens(): number {
  return definitionTokens(META_DEFINITIONS)
}

type DeniedTools = (tools: readonly Tool[]) => string[]

function policyOf(
  { rules, denials, changedRules: also }: ProbeConfig,
  upstreams: readonly Upstream[],
): Policy {
  return createPolicy(rules, { denials, also, effectOf: effectsIn(createCatalog(upstreams)) })
}

function deniedBy(config: ProbeConfig, upstreams: readonly Upstream[]): DeniedTools {
  const { settings } = config
  const policy = policyOf(config, upstreams)
  const id = settings.auth.defaultAgent ?? 'default'
  const isDenied = ({ server, name }: Tool) => policy.tool({ id }, server, name).effect === 'deny'
  return (tools) => tools.filter(isDenied).map(({ name }) => name)
}

export interface DefinitionCosts {
  /** Tokens of all definitions that an agent may see, were they listed directly. */
  of(agent: Principal): number
  /** Servers that were never listed, whose tools are not counted. */
  readonly unknown: readonly string[]
}

const WAIT_MS = 10_000

/** Counts the tokens of tools as last listed, without starting servers outside of this process. */
export async function definitionCosts(config: Config): Promise<DefinitionCosts> {
  const pool = createQuietPool(config)
  try {
    const upstreams = pool.adopt(config)
    const inProcess = upstreams.filter(({ kind }) => kind === 'in-process' || kind === 'openapi')
    const opened = Promise.allSettled(inProcess.map(async (upstream) => upstream.list()))
    await Promise.race([opened, afterwards(WAIT_MS)])
    const tools = upstreams.flatMap(({ listing }) =>
      listing.tools.map(({ server, name, definition }) => ({
        server,
        name,
        tokens: definitionTokens([definition]),
      })),
    )
    const policy = policyOf(config, upstreams)
    return {
      unknown: upstreams
        .filter(({ listing }) => listing.tools.length === 0)
        .map(({ name }) => name),
      of: (agent) =>
        tools
          .filter(({ server, name }) => policy.tool(agent, server, name).effect === 'allow')
          .reduce((sum, { tokens }) => sum + tokens, 0),
    }
  } finally {
    await pool.close()
  }
}

async function afterwards(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
