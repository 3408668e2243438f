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
  async answer(args, { agent }, world) {
    const withMetadata = args.flag('include_metadata')
    const servers = permittedServers(world, agent).map(
      ({ name, description, status, listing }) => ({
        name,
        description: description ?? listing.instructions?.slice(0, 200) ?? null,
        ...(withMetadata ? world.locate(name) : { transport: null, command: null, url: null }),
        ...(status.state === 'down' && { unavailable: status.error }),
      }),
    )
    return answerWith(servers, { result: servers }, world.notes)
  },
}
