import { serverDescription } from '../describe-server.ts'
import { listUnlisted } from '../unlisted.ts'
import { permittedServers } from '../world.ts'
import { type MetaTool, answerWith, inputSchema } from './meta-tool.ts'

export const listServers: MetaTool = {
  definition: {
    name: 'list_servers',
    description: 'List the MCP servers you may use. Start here, then get_server_tools.',
    inputSchema: inputSchema({
      include_metadata: { type: 'boolean', description: 'Also transport, command and URL' },
    }),
    annotations: { readOnlyHint: true },
  },
  async answer(args, { agent, client }, world) {
    const withMetadata = args.flag('include_metadata')
    await listUnlisted(agent, client, world)
    const servers = permittedServers(world, agent).map((upstream) => {
      const { name, status } = upstream
      const description = serverDescription(upstream, agent, world)
      return {
        name,
        ...(description !== undefined && { description }),
        ...(withMetadata && world.locate(name)),
        ...(status.state === 'down' && { unavailable: status.error }),
      }
    })
    return answerWith(servers, { result: servers }, world.notes)
  },
}
