import type { IncomingMessage, ServerResponse } from 'node:http'
import { Buckets } from '../../../base/flow/bucket.ts'
import { isPrivateAddress } from '../../../base/net/net.ts'

/** From one address: sixty at once, as from an office, then one in half a minute. */
const PER_ADDRESS = { intervalMs: 30_000, capacityMs: 1_800_000 }
/** In all: two hundred at once, then one in ten seconds. With how long an unused client lives, this bounds what is stored. */
const IN_ALL = { intervalMs: 10_000, capacityMs: 2_000_000 }
const EVERYBODY = 'everybody'

/** Anybody may register a client, so that somebody could fill the database with them. */
export function createRegistrationLimit(clock: { readonly now?: () => number } = {}) {
  const addresses = new Buckets({ most: 10_000, ...clock })
  const all = new Buckets({ most: 1, ...clock })
  return {
    /** Whether it was too much, and the client was asked to wait. */
    refuses(request: IncomingMessage, response: ServerResponse): boolean {
      const waitMs = addresses.take(addressOf(request), PER_ADDRESS) || all.take(EVERYBODY, IN_ALL)
      if (waitMs <= 0) return false
      response
        .writeHead(429, {
          'content-type': 'application/json',
          'cache-control': 'no-store',
          'retry-after': String(Math.ceil(waitMs / 1_000)),
        })
        .end(
          JSON.stringify({
            error: 'temporarily_unavailable',
            error_description: `Too many clients have registered: wait ${Math.ceil(waitMs / 1_000)} seconds, then register again.`,
          }),
        )
      return true
    },
  }
}

/** Behind a proxy of ours, the address that it saw; what else is in the header anybody may write. */
function addressOf({ socket, headers }: IncomingMessage): string {
  const peer = socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
  const forwarded = [headers['x-forwarded-for']].flat().join(',').split(',').at(-1)?.trim()
  return forwarded && isPrivateAddress(peer) ? forwarded : peer
}
