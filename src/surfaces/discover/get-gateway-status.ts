import { type MetaTool, answerWith, inputSchema } from './meta-tool.ts'

export const getGatewayStatus: MetaTool = {
  definition: {
    name: 'get_gateway_status',
    description: 'Health of the gateway and its servers, and whether the last reload worked.',
    inputSchema: inputSchema({}),
    annotations: { readOnlyHint: true },
  },
  async answer(_args, { agent }, world) {
    const status = world.status(agent)
    return answerWith(status, status)
  },
}
