import { hearStrangers } from '../hear-strangers.ts'
import { findTools } from '../tool-answers.ts'
import { permittedServers } from '../world.ts'
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
    await hearStrangers(call.agent, call.client, world)
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
