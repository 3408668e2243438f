import { type IncomingHttpHeaders, createServer } from 'node:http'
import { listen } from '../support/listen.ts'

export interface SeenRequest {
  readonly method: string
  /** The path and the query, as they were sent. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface MockApi {
  readonly url: string
  /** Returns the last request and forgets it. */
  take(): SeenRequest | undefined
  close(): void
}

/** A server that answers everything with `{}` and keeps the last request for inspection. */
export async function startMock(): Promise<MockApi> {
  let last: SeenRequest | undefined
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      last = { method: method.toLowerCase(), url, headers, body: Buffer.concat(chunks) }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  return {
    url: `${await listen(server)}/base`,
    take() {
      const taken = last
      last = undefined
      return taken
    },
    close: () => server.close(),
  }
}
