import type { Duplex } from 'node:stream'
import { messageOf } from '../base/errors.ts'
import { Bridge } from './bridge.ts'
import { type JoinRequest, type Joined, join } from './join.ts'
import { NotShared } from './not-shared.ts'

/**
 * Joins the person's gateway and relays until the client leaves. Returns at once, with the reason,
 * if it cannot join; nothing of the client's input is read then. `openAlone` opens a gateway in this
 * process, should there be no other way to go on later.
 */
export async function runBridge(
  request: JoinRequest,
  openAlone: (reason: string) => Promise<Duplex>,
): Promise<string> {
  let joined: Joined
  try {
    joined = await join(request)
  } catch (error) {
    if (error instanceof NotShared) return error.message
    throw error
  }
  const { stdin: input, stdout: output } = process
  const bridge = new Bridge({
    input,
    output,
    first: joined.socket,
    async reconnect(connections, isUnstable) {
      if (isUnstable) return openAlone('the gateway ended three times within a minute')
      try {
        return (await join(request, connections)).socket
      } catch (error) {
        return openAlone(messageOf(error))
      }
    },
  })
  await bridge.ended
  return process.exit(0)
}
