import type { IncomingMessage } from 'node:http'
import { peerUser } from '../../base/net/peer-user.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Visitor } from './visitor.ts'

/**
 * Throws unless a visitor may change something here, run a tool or approve something. A visitor who
 * has shown nothing can be anybody on this machine, such as another user or an agent with curl.
 */
export function mustMayChange({ mayChange }: Pick<Visitor, 'mayChange'>): void {
  if (mayChange) return
  throw new HttpError(
    403,
    'SESSION_REQUIRED',
    'Whoever has not signed in can only read the pages of this gateway',
    'Run `portolan dashboard` on this machine: it opens them signed in. Programs send the key of an admin.',
  )
}

/**
 * Refuses other users of this machine where an address is what lets somebody in: they can read it in
 * the list of processes while a browser starts with it.
 */
export function mustBeOurUser({ socket }: Pick<IncomingMessage, 'socket'>): void {
  const user = peerUser(socket)
  if (user === undefined || user === 0 || user === process.getuid?.()) return
  throw new HttpError(
    403,
    'FORBIDDEN_USER',
    'This address is for the user who runs the gateway, not for other users of this machine',
  )
}
