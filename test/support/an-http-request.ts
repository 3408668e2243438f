import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

/** A request as it reaches a handler, without a connection. */
export function anHttpRequest(
  headers: IncomingMessage['headers'] = {},
  method = 'GET',
): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  request.method = method
  request.headers = headers
  return request
}
