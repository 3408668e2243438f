import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'

export interface SeenRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly bytes: Buffer
}

export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly seen: SeenRequest[]
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void

/** A real HTTP server on loopback that records its requests. */
export async function serveHttp(answer: Answer): Promise<TestServer> {
  const seen: SeenRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const record = {
        method: request.method ?? '',
        url: new URL(request.url ?? '/', 'http://loopback'),
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        bytes: Buffer.concat(chunks),
      }
      seen.push(record)
      answer(record, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
