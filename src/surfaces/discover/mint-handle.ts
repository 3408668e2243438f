import { isObject } from '../../protocol/json-rpc.ts'
import { type MetaTool, answerWith, inputSchema } from './meta-tool.ts'

export const mintHandle: MetaTool = {
  definition: {
    name: 'mint_handle',
    description:
      'Make a short-lived credential for a sub-agent, with at most your rights. It passes the handle as agent_id.',
    inputSchema: inputSchema(
      {
        name: { type: 'string', description: 'Id of the sub-agent' },
        ttl_seconds: { type: 'integer' },
        servers: { type: 'array', items: { type: 'string' } },
        tools: { type: 'object', description: 'Server → tool patterns' },
      },
      ['name'],
    ),
  },
  async answer(args, { agent }, world) {
    const seconds = args.positive('ttl_seconds')
    const tools = Object.entries(args.object('tools')).map(([server, patterns]) => [
      server,
      Array.isArray(patterns) ? patterns.map(String) : [String(patterns)],
    ])
    const minted = world.mint(agent, {
      agent: args.required('name'),
      ttlMs: seconds === undefined ? undefined : seconds * 1000,
      servers: args.names('servers'),
      tools: tools.length > 0 ? Object.fromEntries(tools) : undefined,
    })
    return answerWith(minted, isObject(minted) ? minted : {})
  },
}
