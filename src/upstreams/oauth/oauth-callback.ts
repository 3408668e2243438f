import { randomBytes, timingSafeEqual } from 'node:crypto'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'

const CALLBACK_PATH = '/callback'
const SIGN_IN_MS = 10 * 60_000

/** What the authorization server sends back with the browser. */
export interface Authorization {
  readonly code: string
  /** Who says so (RFC 9207). */
  readonly iss: string | undefined
}

export interface Callback {
  readonly redirectUrl: string
  /** Part of the address to sign in at; only an answer that repeats it is ours. */
  readonly state: string
  /** Ends with the exchange of the first code that is ours, or when the sign-in takes too long. */
  signedIn(exchange: (authorization: Authorization) => Promise<unknown>): Promise<void>
  close(): void
}

interface Page {
  readonly status: number
  readonly text: string
}

/** A page on loopback that the browser comes back to with the code. Anybody on this machine can ask for it. */
export async function openCallback(): Promise<Callback> {
  const server = http.createServer()
  const state = randomBytes(32).toString('base64url')
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  server.unref()
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    redirectUrl: `http://127.0.0.1:${port}${CALLBACK_PATH}`,
    state,
    async signedIn(exchange) {
      return new Promise((resolve, reject) => {
        let isTaken = false
        const late = setTimeout(
          () => reject(new Error('the sign-in was not completed in time')),
          SIGN_IN_MS,
        )
        late.unref()
        server.once('close', () => clearTimeout(late))
        const answer = async (request: IncomingMessage): Promise<Page> => {
          const read = readAnswer(request, port, state)
          if ('status' in read) return read
          if (isTaken) return { status: 409, text: 'This sign-in was answered already.' }
          isTaken = true
          try {
            await exchange(read)
            resolve()
            return { status: 200, text: 'Signed in. You can close this page.' }
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)))
            return {
              status: 400,
              text: 'The sign-in did not work: the code was refused. Use the server again for a new address to sign in at.',
            }
          }
        }
        const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
          const { status, text } = await answer(request)
          response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' })
          response.end(`${text}\n`)
        }
        server.on('request', (request, response) => void reply(request, response))
      })
    },
    close() {
      server.close()
    },
  }
}

/** The code of an answer that is ours, or the page for any other, which leaves the sign-in waiting. */
function readAnswer(request: IncomingMessage, port: number, state: string): Authorization | Page {
  const { host } = request.headers
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
    return { status: 403, text: 'This page is only for the browser on this machine.' }
  // Not `new URL`, which throws at targets like "//".
  const [path, query = ''] = (request.url ?? '').split('?', 2)
  if (path !== CALLBACK_PATH || request.method !== 'GET')
    return { status: 404, text: 'There is nothing here.' }
  const given = new URLSearchParams(query)
  if (!isSame(given.get('state') ?? '', state))
    return {
      status: 400,
      text: 'This is not the answer to the sign-in that waits here. Open its address again.',
    }
  const code = given.get('code')
  if (code === null)
    return { status: 400, text: 'The sign-in was not completed. Open the address again to retry.' }
  return { code, iss: given.get('iss') ?? undefined }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
