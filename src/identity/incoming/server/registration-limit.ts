import type { IncomingMessage, ServerResponse } from 'node:http'
import { Buckets } from '../../../base/flow/bucket.ts'
import { isPrivateAddress } from '../../../base/net/net.ts'

/** Per address: sixty at once, as from an office, then one every 30 seconds. */
const PER_ADDRESS = { intervalMs: 30_000, capacityMs: 1_800_000 }
/** In all: 200 at once, then one every 10 seconds; with their lifetime, this bounds the storage. */
const IN_ALL = { intervalMs: 10_000, capacityMs: 2_000_000 }
const EVERYBODY = 'everybody'

/** Limits registrations, as anybody may register clients and could fill the database. */
export function createRegistrationLimit(clock: { readonly now?: () => number } = {}) {
  const addresses = new Buckets({ most: 10_000, ...clock })
  const all = new Buckets({ most: 1, ...clock })
  return {
    /** Returns whether the limit was exceeded; the response then asks the client to wait. */
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

/** Returns the address that our proxy saw; anybody may write the earlier parts of the header. */
function addressOf({ socket, headers }: IncomingMessage): string {
  const peer = socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
  const forwarded = [headers['x-forwarded-for']].flat().join(',').split(',').at(-1)?.trim()
  return forwarded && isPrivateAddress(peer) ? forwarded : peer
}
