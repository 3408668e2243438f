import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPrivateAddress } from './net.ts'

/**
 * Resolves names for a connection. `refuse` returns the error for a name with a private address, or
 * nothing if that is allowed. The socket itself uses this lookup, so a name cannot resolve to one
 * address for a check and to another for the connection.
 */
export function guardedLookup(
  refuse: (hostname: string, address: string) => Error | undefined,
): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const [first] = found ?? []
      if (error || !first) return done(error ?? new Error(`${hostname} has no address`), [])
      const closed = found.find(({ address }) => isPrivateAddress(address))
      const refused = closed && refuse(hostname, closed.address)
      if (refused) return done(refused, [])
      if (options.all) return done(null, found)
      return done(null, first.address, first.family)
    })
  }
}
