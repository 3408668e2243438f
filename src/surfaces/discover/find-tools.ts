import type { Upstream } from '../../gateway/upstream.ts'
import { findTools } from '../tool-answers.ts'
import { type World, permittedServers } from '../world.ts'
import { type MetaTool, answerWith, inputSchema } from './meta-tool.ts'

export const findToolsTool: MetaTool = {
  definition: {
    name: 'find_tools',
    description:
      'Search the tools of all servers by what they do. Gives signatures for execute_tool.',
    inputSchema: inputSchema(
      {
        query: { type: 'string', description: 'What to do; several things between ";"' },
        limit: { type: 'integer', description: '5 when not given' },
        servers: { type: 'array', items: { type: 'string' } },
        max_tokens: { type: 'integer' },
      },
      ['query'],
    ),
    annotations: { readOnlyHint: true },
  },
  async answer(args, call, world) {
    const queries = args
      .required('query')
      .split(/[;\n]/)
      .filter((query) => query.trim() !== '')
    const servers = args.names('servers')
    const permitted = permittedServers(world, call.agent)
    await hearOf(
      permitted.filter(({ name }) => servers?.includes(name) ?? true),
      world,
    )
    const names = new Set(permitted.map(({ name }) => name))
    const answer = findTools(world.toolIndex(), {
      queries,
      servers,
      limit: args.positive('limit'),
      maxTokens: args.positive('max_tokens'),
      permits: (tool) =>
        names.has(tool.server) &&
        world.policy.tool(call.agent, tool.server, tool.name).effect === 'allow',
    })
    if (Array.isArray(answer['tools'])) call.event.toolsReturned = answer['tools'].length
    return answerWith(answer, answer)
  },
}

/** Servers that were never reached are asked what they offer; one that does not answer is left out. */
async function hearOf(servers: readonly Upstream[], { listMs }: World): Promise<void> {
  const unknown = servers.filter(
    ({ listing }) => listing.serverInfo === undefined && listing.tools.length === 0,
  )
  if (unknown.length === 0) return
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, listMs)
  })
  await Promise.race([tooLate, Promise.allSettled(unknown.map(async (server) => server.live()))])
  clearTimeout(timer)
}
