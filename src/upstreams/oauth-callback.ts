import http from 'node:http'

const CALLBACK_PATH = '/callback'
const SIGN_IN_MS = 10 * 60_000

export interface Callback {
  readonly redirectUrl: string
  readonly code: Promise<string>
  close(): void
}

/** A page on loopback that the browser comes back to with the code. */
export async function openCallback(): Promise<Callback> {
  const server = http.createServer()
  const code = new Promise<string>((resolve, reject) => {
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1')
      if (url.pathname !== CALLBACK_PATH) {
        response.writeHead(404).end()
        return
      }
      const given = url.searchParams.get('code')
      if (given === null) reject(new Error(url.searchParams.get('error') ?? 'no code was given'))
      else resolve(given)
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.end('Signed in. You can close this page.\n')
    })
    const late = setTimeout(() => reject(new Error('nobody signed in')), SIGN_IN_MS)
    late.unref()
    server.once('close', () => clearTimeout(late))
  })
  code.catch(() => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    redirectUrl: `http://127.0.0.1:${port}${CALLBACK_PATH}`,
    code,
    close() {
      server.close()
    },
  }
}
