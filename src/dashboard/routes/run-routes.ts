import { z } from 'zod'
import { explainAccess } from '../../config/rules/explain-access.ts'
import { HttpError } from '../../http/http-error.ts'
import { whoIs } from '../../identity/who-is.ts'
import type { World } from '../../surfaces/world.ts'
import type { ToolAccess } from '../contract/run.ts'
import { maybe, text } from '../inputs.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import type { DashboardParts } from '../views/describe-server.ts'
import { describeTool } from '../views/describe-tool.ts'
import { knownAgents } from '../views/known-agents.ts'
import { knownNames } from '../views/known-names.ts'
import { readStats } from '../views/usage.ts'

/** The arguments arrive as text within the body, which is limited. */
const MAX_ARGUMENTS = 1 << 20

/** One tool, and its calls by people on the pages. */
export function runRoutes(parts: DashboardParts): Route[] {
  const { sources, costs } = parts
  return [
    defineRoute('GET /servers/:server/tools/:tool', {
      role: 'viewer',
      query: z.object({ folder: maybe }),
      async answer({ params: { server = '', tool: name = '' }, query }) {
        const { world } = folderOf(sources, query.folder)
        await costs.prepare(world)
        const upstream = world.catalog.server(server)
        const tool = upstream?.listing.tools.find((one) => one.name === name)
        if (!upstream || !tool)
          throw new HttpError(404, 'TOOL_NOT_FOUND', `'${server}' lists no tool '${name}' now`)
        const { tools: stats } = await readStats(sources.history)
        return {
          ...describeTool(upstream, tool, { world, costs, stats }),
          server,
          folder: query.folder ?? null,
          inputSchema: tool.definition['inputSchema'] ?? null,
          outputSchema: tool.definition['outputSchema'] ?? null,
          access: await accessTo(server, name, { sources, world }),
        }
      },
    }),
    defineRoute('POST /run', {
      role: 'admin',
      body: z.object({
        server: text,
        tool: text,
        arguments: z.string().max(MAX_ARGUMENTS),
        agent: maybe,
        folder: maybe,
      }),
      async answer({ visitor, body, request: { socket } }) {
        const { server = '', tool = '', arguments: args = '', agent, folder } = body
        const { runTool } = await import('../run-tool.ts')
        return runTool(
          { server, tool, arguments: args, agent },
          { sources, folder: folderOf(sources, folder), visitor, socket },
        )
      },
    }),
  ]
}

function folderOf(sources: Sources, path: string | undefined) {
  if (path === undefined) return sources
  const folder = sources.folders().find((one) => one.path === path)
  if (folder) return folder
  throw new HttpError(404, 'NOT_FOUND', `The folder ${path} is not open`)
}

interface AccessPlace {
  readonly sources: Sources
  readonly world: World
}

async function accessTo(
  server: string,
  tool: string,
  { sources, world }: AccessPlace,
): Promise<ToolAccess[]> {
  const known = await knownNames(sources)
  const { agents } = await readStats(sources.history)
  return [...knownAgents(sources.config, known, [...agents.keys()]).keys()].map((agent) => {
    const decision = world.policy.tool(whoIs(agent, known), server, tool)
    const { effect, rule, message } = explainAccess({ agent, server, tool }, decision)
    return { agent, effect, rule, message }
  })
}
