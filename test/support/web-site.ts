import { createServer } from 'node:http'

export interface Page {
  readonly status?: number
  readonly type?: string
  readonly body?: string | Uint8Array
  readonly headers?: Record<string, string>
  readonly etag?: string
}

export interface WebSite {
  readonly origin: string
  readonly host: string
  /** The requests so far, as status and path. */
  readonly requests: string[]
  readonly pages: Record<string, Page>
  close(): Promise<void>
}

/** A real web server on loopback; pages may be changed while it runs. */
export async function startWebSite(pages: Record<string, Page>): Promise<WebSite> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const { status, headers, body } = answer(pages[path], request.headers['if-none-match'])
    requests.push(`${status} ${path}`)
    response.writeHead(status, headers)
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    origin: `http://${host}`,
    host,
    requests,
    pages,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(page: Page | undefined, known: string | undefined) {
  if (!page) return { status: 404, headers: {}, body: '' }
  const { type = 'text/html', etag, headers, status = 200, body = '' } = page
  const sent = { 'content-type': type, ...(etag && { etag }), ...headers }
  const fresh = etag !== undefined && known === etag
  return { status: fresh ? 304 : status, headers: sent, body: fresh ? undefined : body }
}
