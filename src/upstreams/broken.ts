import { GatewayError } from '../gateway/errors.ts'
import { NO_DIAGNOSTICS, type Upstream } from '../gateway/upstream.ts'
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
    diagnostics: NO_DIAGNOSTICS,
    listing: EMPTY_LISTING,
    request: refuse,
    list: refuse,
    watch: refuse,
    sessionChanged: () => undefined,
    onNotification: () => () => undefined,
    close: async () => undefined,
  }
}
