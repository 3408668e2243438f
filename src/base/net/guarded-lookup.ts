import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPrivateAddress } from './net.ts'

/**
 * Resolves names for a connection; `refuse` gives the error for one that stands for a private address,
 * or nothing where that is allowed. It is the very lookup the socket uses, so that a name cannot answer
 * one thing to a check and another to the connection.
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
