import { GatewayError } from '../gateway/errors.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { EMPTY_LISTING } from './listing/listing.ts'

/** A server whose configuration cannot be used: listed with its error, no effect on others. */
export function createBroken(
  name: string,
  description: string | undefined,
  error: string,
): Upstream {
  const refuse = async (): Promise<never> => {
    throw new GatewayError('SERVER_UNAVAILABLE', `Server unavailable: '${name}': ${error}`, {
      hint: 'Fix the configuration of this server; the gateway loads it again automatically.',
      reason: 'server_unavailable',
      inconclusive: true,
    })
  }
  return {
    name,
    kind: 'broken',
    description,
    status: { state: 'down', error, retryAt: Infinity },
    restarts: 0,
    connections: 0,
    output: [],
    listing: EMPTY_LISTING,
    request: refuse,
    live: refuse,
    watch: refuse,
    release: () => undefined,
    suspend: () => undefined,
    onNotification: () => () => undefined,
    close: async () => undefined,
  }
}
