import type { Agent } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { isObject } from '../../base/json/json.ts'
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
    if (!mayMint(agent))
      throw new GatewayError('UNAUTHENTICATED', `Agent '${agent.id}' has not proved who it is`, {
        hint: 'Sign in, or connect with a key, a token or a handle, to mint handles for sub-agents.',
      })
    const seconds = args.positive('ttl_seconds')
    const tools = Object.entries(args.object('tools')).map(([server, patterns]) => [
      server,
      Array.isArray(patterns) ? patterns.map(String) : [String(patterns)],
    ])
    const minted = world.mint(agent, {
      agent: args.required('name'),
      ttlMs: seconds === undefined ? undefined : seconds * 1000,
      // An empty list allows nothing: only a limit that is left out limits nothing.
      servers: args.any('servers') === undefined ? undefined : (args.names('servers') ?? []),
      tools: args.any('tools') === undefined ? undefined : Object.fromEntries(tools),
    })
    return answerWith(minted, isObject(minted) ? minted : {})
  },
}

/** Only an agent that has proved its identity may pass on part of its rights. */
export function mayMint({ proof }: Agent): boolean {
  return proof !== 'claim' && proof !== 'fallback'
}
