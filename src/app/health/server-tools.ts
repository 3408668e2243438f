import type { Config } from '../../config/load.ts'
import type { Problem } from '../../config/problem.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { type Effect, effectOf } from '../../gateway/tools/effect.ts'
import { shownName } from '../../gateway/tools/tool-ref.ts'
import type { Listing, Upstream } from '../../gateway/upstream.ts'
import { overrideProblems } from '../upstreams/override-problems.ts'
import { apart } from '../upstreams/identity.ts'
import { definitionTokens, list } from './probe.ts'
import { createQuietPool } from '../upstreams/quiet-pool.ts'
import { withTimeout } from '../../base/flow/time.ts'
import { GatewayError } from '../../gateway/errors.ts'

/** A tool of a server, and how agents see it. */
export interface ServerTool {
  /** The server's own name, for rules and settings. */
  readonly name: string
  /** The name for agents; null if they do not see the tool. */
  readonly shownAs: string | null
  readonly effect: Effect
  /** What its definition costs an agent that sees it. */
  readonly tokens: number
  /** Its own parameters. */
  readonly parameters: readonly string[]
  readonly leftOut?: string | undefined
}

export interface ServerTools {
  readonly tools: readonly ServerTool[]
  readonly problems: readonly Problem[]
}

/**
 * Returns the tools of a server with and without what its entry says about them, as last listed. A
 * server that has never been listed is started.
 */
export async function serverTools(
  config: Config,
  server: Exclude<ServerConfig, { kind: 'broken' }>,
  timeoutMs: number,
): Promise<ServerTools> {
  const pool = createQuietPool(config)
  const adopt = (entry: ServerConfig): Upstream | undefined =>
    pool.adopt({ ...config, servers: new Map([[server.name, { ...entry, enabled: true }]]) })[0]
  try {
    const shown = adopt(server)
    if (shown && isUnlisted(shown.listing)) await listWithin(shown, timeoutMs)
    const seen = shown?.listing
    const problems = shown ? overrideProblems([shown], config) : []
    // The same connection without what the entry says about tools.
    const { rest, origin } = apart(server)
    const whole = adopt(rest.kind === 'broken' ? rest : { ...rest, origin })?.listing
    const visible = new Map(seen?.tools.map((tool) => [tool.name, tool]))
    const reasons = new Map(seen?.leftOut?.map(({ name, reason }) => [name, reason]))
    return {
      problems,
      tools: (whole?.tools ?? []).map((tool) => {
        const { name } = tool
        const offered = visible.get(name)
        const leftOut = offered ? undefined : reasons.get(name)
        return {
          name,
          shownAs: offered ? shownName(offered) : null,
          effect: effectOf(offered ?? tool),
          tokens: offered ? definitionTokens([offered.definition]) : 0,
          parameters: parametersOf(tool.definition['inputSchema']),
          ...(leftOut !== undefined && { leftOut }),
        }
      }),
    }
  } finally {
    await pool.close()
  }
}

/** Returns the overrides that do not fit what servers have listed last; starts none. */
export async function knownOverrideProblems(config: Config): Promise<Problem[]> {
  const changed = [...config.servers].filter(
    ([, server]) => server.kind !== 'broken' && server.overrides !== undefined,
  )
  if (changed.length === 0) return []
  const pool = createQuietPool(config)
  try {
    return overrideProblems(pool.adopt({ ...config, servers: new Map(changed) }), config)
  } finally {
    await pool.close()
  }
}

async function listWithin(server: Upstream, timeoutMs: number): Promise<void> {
  await withTimeout(list(server), timeoutMs, () => {
    throw new GatewayError('TIMEOUT', `Server '${server.name}' did not list its tools in time`, {
      hint: 'Give it longer with --timeout.',
    })
  })
}

/** Returns the tools of all servers as last listed, as `server.tool`; starts no program. */
export async function knownTools(config: Config): Promise<string[]> {
  const pool = createQuietPool(config)
  try {
    return pool
      .adopt(config)
      .flatMap(({ name, listing }) => listing.tools.map((tool) => `${name}.${tool.name}`))
  } finally {
    await pool.close()
  }
}

function isUnlisted({ tools, serverInfo }: Listing): boolean {
  return tools.length === 0 && serverInfo === undefined
}

function parametersOf(schema: unknown): string[] {
  const properties: unknown = Object(schema)['properties']
  return Object.keys(Object(properties))
}
