import type { AgentRow } from '../contract.ts'
import { explain, explainServers, explainTools } from '../views/explain-agent.ts'
import { HttpError } from '../../http/http-error.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import { toCallStats } from '../views/to-call-stats.ts'
import type { TokenCosts } from '../views/token-costs.ts'

/** Callers choose their names: those that nobody configured are shown up to here. */
const MOST_SEEN = 100
/** What metrics call those they do not tell apart. */
const NOT_AGENTS = new Set(['unknown', 'other'])

export function agentRoutes(sources: Sources, costs: TokenCosts): Route[] {
  return [
    defineRoute('GET /agents', {
      role: 'viewer',
      async answer() {
        const { world, config } = sources
        await costs.prepare(world)
        return {
          rulesPath: config.paths.rules ?? null,
          servers: world.catalog.servers.map(({ name }) => name),
          agents: await rows(sources, costs),
        }
      },
    }),
    defineRoute('GET /agents/:agent/:server', {
      role: 'viewer',
      async answer({ params: { agent: id = '', server = '' } }) {
        const { world } = sources
        await costs.prepare(world)
        const upstream = world.catalog.server(server)
        if (!upstream)
          throw new HttpError(404, 'SERVER_NOT_FOUND', `There is no server '${server}'`)
        const explaining = { policy: world.policy, world, costs }
        return {
          ...explain(world.policy, { id }, server),
          agent: id,
          server,
          tools: explainTools(explaining, { id }, upstream),
        }
      },
    }),
  ]
}

async function rows(sources: Sources, costs: TokenCosts): Promise<AgentRow[]> {
  const { world, config, metrics } = sources
  const { agents: settings, limits } = config.settings
  const { agents: stats } = metrics.summary()
  return [...(await sourcesOf(sources, Object.keys(stats)))].map(([id, source]) => {
    const own = settings[id]
    return {
      id,
      source,
      surface: world.surfaceOf(id),
      maxTokens: own?.maxTokens ?? null,
      ratePerMinute: own?.ratePerMinute ?? limits.ratePerMinute ?? null,
      pins: world.pinsOf(id),
      cells: explainServers({ policy: world.policy, world, costs }, { id }),
      ...costs.ofAgent({ id }, world),
      calls: toCallStats(stats[id]),
    }
  })
}

/** Every agent there is some word of, with where it was first found. */
async function sourcesOf(
  { config, keys }: Sources,
  seen: readonly string[],
): Promise<Map<string, AgentRow['source']>> {
  const found = new Map<string, AgentRow['source']>()
  const add = (source: AgentRow['source'], ids: readonly string[]) => {
    for (const id of ids) if (!found.has(id)) found.set(id, source)
  }
  add('rules', Object.keys(config.rules?.agents ?? {}))
  add('settings', Object.keys(config.settings.agents))
  const valid = (await keys.list()).filter(({ revokedAt }) => revokedAt === undefined)
  add(
    'keys',
    valid.map(({ agent }) => agent),
  )
  add('seen', seen.filter((id) => !NOT_AGENTS.has(id)).slice(0, MOST_SEEN))
  add('other', ['*'])
  return found
}
