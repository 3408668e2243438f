import type { Config } from '../config/load.ts'
import { createPolicy } from '../gateway/policy.ts'
import { countTokens } from '../shaping/tokens.ts'
import { openService } from './open-service.ts'
import { UpstreamPool } from './upstream-pool.ts'

export interface DefinitionCosts {
  /** Tokens of all definitions that an agent may see, were they listed directly. */
  of(agent: string): number
  /** Servers nobody has asked yet, whose tools are not counted. */
  readonly unknown: readonly string[]
}

const NOTHING = () => undefined
const SILENT = { debug: NOTHING, info: NOTHING, warn: NOTHING, error: NOTHING }
const WAIT_MS = 10_000

/** What the tools of a configuration cost, as last heard: no server outside of this process is started. */
export async function definitionCosts(config: Config): Promise<DefinitionCosts> {
  const pool = new UpstreamPool({
    log: SILENT,
    openService,
    project: async () => ({ path: process.cwd(), source: 'cwd' }),
    onNotification: NOTHING,
  })
  try {
    const upstreams = pool.adopt(config)
    const inProcess = upstreams.filter(({ kind }) => kind === 'in-process' || kind === 'openapi')
    const opened = Promise.allSettled(inProcess.map(async (upstream) => upstream.live()))
    await Promise.race([opened, afterwards(WAIT_MS)])
    const tools = upstreams.flatMap(({ listing }) =>
      listing.tools.map(({ server, name, definition }) => ({
        server,
        name,
        tokens: countTokens(JSON.stringify(definition)),
      })),
    )
    const policy = createPolicy(config.rules)
    return {
      unknown: upstreams
        .filter(({ listing }) => listing.tools.length === 0)
        .map(({ name }) => name),
      of: (agent) =>
        tools
          .filter(({ server, name }) => policy.tool({ id: agent }, server, name).effect === 'allow')
          .reduce((sum, { tokens }) => sum + tokens, 0),
    }
  } finally {
    await pool.close()
  }
}

async function afterwards(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
