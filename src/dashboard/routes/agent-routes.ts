import { isObject } from '../../base/json/json.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import { setImmediate } from 'node:timers/promises'
import type { AgentRow } from '../contract/agents.ts'
import { conditionsOn } from '../views/conditions-on.ts'
import { explain, explainServers, explainTools } from '../views/explain-agent.ts'
import { whoIs } from '../../identity/who-is.ts'
import { knownAgents } from '../views/known-agents.ts'
import { knownNames } from '../views/known-names.ts'
import { HttpError } from '../../http/http-error.ts'
import { type Route, defineRoute } from '../route.ts'
import type { DashboardParts } from '../views/describe-server.ts'
import { readStats } from '../views/usage.ts'

/** Hundreds of agents take a while, in which calls must not wait. */
const SLICE_MS = 8

export function agentRoutes(parts: DashboardParts): Route[] {
  const { sources, costs } = parts
  return [
    defineRoute('GET /agents', {
      role: 'viewer',
      async answer() {
        const { world, config } = sources
        await costs.prepare(world)
        return {
          rulesPath: config.paths.rules ?? null,
          servers: world.catalog.servers.map(({ name }) => name),
          agents: await rows(parts),
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
        const agent = whoIs(id, await knownNames(sources))
        const explaining = { policy: world.policy, world, costs }
        return {
          ...explain(world.policy, agent, server),
          agent: id,
          server,
          tools: explainTools(explaining, agent, upstream).map((tool) => ({
            ...tool,
            conditions: conditionsOn(agent, { server, tool: tool.name }, sources.config.rules),
            arguments: argumentsOf(upstream, tool.name),
          })),
        }
      },
    }),
  ]
}

async function rows({ sources, costs }: DashboardParts): Promise<AgentRow[]> {
  const { world, config } = sources
  const { agents: settings, limits } = config.settings
  const { agents: stats } = await readStats(sources.history)
  const known = await knownNames(sources)
  const found: AgentRow[] = []
  let begun = performance.now()
  for (const [id, source] of knownAgents(config, known, [...stats.keys()])) {
    const own = settings[id]
    const agent = whoIs(id, known)
    const { cells, permitted } = explainServers({ policy: world.policy, world }, agent)
    found.push({
      id,
      source,
      surface: world.surfaceOf(agent),
      maxTokens: own?.maxTokens ?? null,
      ratePerMinute: own?.ratePerMinute ?? limits.ratePerMinute ?? null,
      pins: world.pinsOf(agent),
      cells,
      ...costs.ofPermitted(agent, permitted, world),
      calls: stats.get(id) ?? null,
    })
    if (performance.now() - begun < SLICE_MS) continue
    await setImmediate()
    begun = performance.now()
  }
  return found
}

function argumentsOf({ listing }: Upstream, name: string): string[] {
  const schema = listing.tools.find((tool) => tool.name === name)?.definition['inputSchema']
  const properties = isObject(schema) ? schema['properties'] : undefined
  return isObject(properties) ? Object.keys(properties) : []
}
