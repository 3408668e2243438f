import { GatewayError } from '../gateway/errors.ts'
import type { OpenService } from './upstream-pool.ts'

/** Opens the servers that live in this process; each is loaded only when it is first used. */
export const openService: OpenService = async (server, settings) => {
  if (server.kind === 'openapi') return (await import('./open-api.ts')).openApi(server, settings)
  const what = server.kind === 'builtin' ? `the built-in "${server.builtin}"` : server.kind
  throw new GatewayError('SERVER_UNAVAILABLE', `Server unavailable: ${what} is not in this version`)
}
