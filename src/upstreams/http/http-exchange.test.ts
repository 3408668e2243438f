import { expect, it, onTestFinished } from 'vitest'
import { type Answer, serveHttp } from '../../../test/support/http-server.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { type Exchange, exchange, readText } from './http-exchange.ts'

const POST = { method: 'POST', body: '{"id":1}' } as const

async function serve(answer: Answer) {
  const server = await serveHttp(answer)
  onTestFinished(async () => server[Symbol.asyncDispose]())
  return server
}

async function send(url: string, what: Pick<Exchange, 'method' | 'body'> = POST) {
  const headers = { authorization: 'Bearer ours' }
  const response = await exchange({ url: new URL(url), headers, ...what })
  return { status: response.statusCode, text: await readText(response) }
}

/** As Starlette, and so most servers in Python, answer at an address without its last slash. */
const redirecting: Answer = ({ url, body, headers }, response) =>
  url.pathname === '/mcp'
    ? response.writeHead(307, { location: '/mcp/' }).end()
    : response.end(`${headers.authorization} ${body}`)

it('follows a redirect on the same host with method, body and credentials', async () => {
  const { url, seen } = await serve(redirecting)
  expect(await send(`${url}/mcp`)).toEqual({ status: 200, text: 'Bearer ours {"id":1}' })
  expect(seen.map(({ method, url: { pathname } }) => `${method} ${pathname}`)).toEqual([
    'POST /mcp',
    'POST /mcp/',
  ])
})

it('sends nothing to another host, whatever the server says', async () => {
  const other = await serve((_, response) => response.end('stolen'))
  const { url } = await serve((_, response) =>
    response.writeHead(307, { location: `${other.url}/mcp` }).end(),
  )
  expect(await send(`${url}/mcp`)).toMatchObject({ status: 307 })
  expect(other.seen).toEqual([])
})

it('does not turn a POST into a GET, and gives up where redirects do not end', async () => {
  const moved = await serve((_, response) => response.writeHead(302, { location: '/login' }).end())
  expect(await send(moved.url)).toMatchObject({ status: 302 })
  expect(moved.seen).toHaveLength(1)
  const circle = await serve((_, response) => response.writeHead(308, { location: '/' }).end())
  expect(await send(circle.url)).toMatchObject({ status: 308 })
  expect(circle.seen).toHaveLength(4)
})

it('follows the older redirects for an event stream', async () => {
  const { url } = await serve(({ url: { pathname } }, response) =>
    pathname === '/sse'
      ? response.writeHead(301, { location: '/sse/' }).end()
      : response.end('events'),
  )
  expect(await send(`${url}/sse`, { method: 'GET' })).toEqual({ status: 200, text: 'events' })
})

it('sends nothing for a call that is already cancelled', async () => {
  const { url, seen } = await serve((_, response) => response.end('done'))
  const signal = new Canceller()
  signal.abort(new Error('the client left'))
  const sent = exchange({ url: new URL(url), headers: {}, ...POST, signal })
  await expect(sent).rejects.toThrow('the client left')
  expect(seen).toEqual([])
})
