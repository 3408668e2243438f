import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface ChatServer {
  readonly baseUrl: string
  /** The requests so far. */
  readonly requests: { readonly body: unknown; readonly authorization: string | undefined }[]
}

/** A server on loopback that answers every chat completion with this text, or with this status. */
export async function startChatServer(reply: string | number, delayMs = 0): Promise<ChatServer> {
  const requests: ChatServer['requests'] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push({ body: await json(request), authorization: request.headers.authorization })
    response.statusCode = typeof reply === 'number' ? reply : 200
    response.setHeader('content-type', 'application/json')
    const text = JSON.stringify({ choices: [{ message: { role: 'assistant', content: reply } }] })
    const timer = setTimeout(() => response.end(text), delayMs)
    response.on('close', () => clearTimeout(timer))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : address
  return { baseUrl: `http://127.0.0.1:${port}`, requests }
}
