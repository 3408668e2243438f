import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The most requests that a client may send before it has read the answer to the first. */
const MAX_AHEAD = 100

interface Connection {
  latest: ServerResponse | undefined
  ahead: number
}

/**
 * Handles the requests of a connection one after another, each when the client has read the answer
 * to the one before. Clients hardly ever send ahead, and answers that nobody reads take memory.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>()
  return (request, response) => {
    const { socket } = request
    const connection = connections.get(socket) ?? { latest: undefined, ahead: 0 }
    const before = connection.latest
    if (!before) connections.set(socket, connection)
    connection.latest = response
    if (!before || before.writableFinished || before.closed) handle(request, response)
    else if (connection.ahead === MAX_AHEAD) socket.destroy()
    else {
      connection.ahead += 1
      before.once('close', () => {
        connection.ahead -= 1
        if (!socket.destroyed) handle(request, response)
      })
    }
  }
}
