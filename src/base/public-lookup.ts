import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPrivateAddress } from './net.ts'

/**
 * Resolves names for a connection and refuses private addresses. It is the very lookup the socket uses,
 * so a name cannot answer one thing to a check and another to the connection.
 */
export function publicLookup(refuse: (host: string, address: string) => Error): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const closed = addresses.find(({ address }) => isPrivateAddress(address))
      if (closed) return callback(refuse(hostname, closed.address), '', 0)
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      return callback(null, first?.address ?? '', first?.family)
    })
  }
}
