import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Outcome } from './sign-ins.ts'

const CALLBACK_PATH = '/callback'

export interface LoopbackPage {
  readonly callbackUrl: string
  close(): void
}

/**
 * Opens a page on loopback that the browser returns to, for a gateway that serves no pages itself,
 * as on stdio. Anybody on this machine can request it.
 */
export async function openLoopbackPage(
  finish: (answer: URLSearchParams) => Promise<Pick<Outcome, 'status' | 'message'>>,
): Promise<LoopbackPage> {
  const server = http.createServer((request, response) => void reply(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  server.unref()
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, message } = await answer(request)
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' })
    response.end(`${message}\n`)
  }

  async function answer(request: IncomingMessage): Promise<Pick<Outcome, 'status' | 'message'>> {
    const { host } = request.headers
    if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
      return { status: 403, message: 'This page is only for the browser on this machine.' }
    // Not `new URL`, which throws for targets such as "//".
    const [path, query = ''] = (request.url ?? '').split('?', 2)
    if (path !== CALLBACK_PATH || request.method !== 'GET')
      return { status: 404, message: 'There is nothing here.' }
    return finish(new URLSearchParams(query)).catch(() => ({
      status: 500,
      message: 'The sign-in did not work: it could not be stored.',
    }))
  }

  return {
    callbackUrl: `http://127.0.0.1:${port}${CALLBACK_PATH}`,
    close: () => void server.close(),
  }
}
