import { isObject } from '../../base/json/json.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import type { AgentRow } from '../contract/agents.ts'
import { conditionsOn } from '../views/conditions-on.ts'
import { explain, explainServers, explainTools } from '../views/explain-agent.ts'
import { type KnownNames, whoIs } from '../../identity/who-is.ts'
import { knownNames } from '../views/known-names.ts'
import { HttpError } from '../../http/http-error.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import type { DashboardParts } from '../views/describe-server.ts'
import { readStats } from '../views/usage.ts'

/** Callers choose their names, so only this many unconfigured agents are shown. */
const MAX_SEEN = 100
/** The names under which metrics combine several agents. */
const NOT_AGENTS = new Set(['unknown', 'other'])

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
  return [...sourcesOf(config, known, [...stats.keys()])].map(([id, source]) => {
    const own = settings[id]
    const agent = whoIs(id, known)
    return {
      id,
      source,
      surface: world.surfaceOf(agent),
      maxTokens: own?.maxTokens ?? null,
      ratePerMinute: own?.ratePerMinute ?? limits.ratePerMinute ?? null,
      pins: world.pinsOf(agent),
      cells: explainServers({ policy: world.policy, world, costs }, agent),
      ...costs.ofAgent(agent, world),
      calls: stats.get(id) ?? null,
    }
  })
}

function argumentsOf({ listing }: Upstream, name: string): string[] {
  const schema = listing.tools.find((tool) => tool.name === name)?.definition['inputSchema']
  const properties = isObject(schema) ? schema['properties'] : undefined
  return isObject(properties) ? Object.keys(properties) : []
}

/** Returns every agent that is configured or was seen, with the source that has it first. */
function sourcesOf(
  config: Sources['config'],
  { keyed, users }: KnownNames,
  seen: readonly string[],
): Map<string, AgentRow['source']> {
  const found = new Map<string, AgentRow['source']>()
  const add = (source: AgentRow['source'], ids: readonly string[]) => {
    for (const id of ids) if (!found.has(id)) found.set(id, source)
  }
  add('rules', Object.keys(config.rules?.agents ?? {}))
  add('settings', Object.keys(config.settings.agents))
  add('keys', keyed)
  add(
    'users',
    users.map(({ name }) => name),
  )
  add('seen', seen.filter((id) => !NOT_AGENTS.has(id)).slice(0, MAX_SEEN))
  add('other', ['*'])
  return found
}
