import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { type Answer, serveHttp } from '../../../test/support/http-server.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { type Exchange, exchange, readEvents, readText } from './http-exchange.ts'

const POST = { method: 'POST', body: '{"id":1}' } as const

async function serve(answer: Answer) {
  const server = await serveHttp(answer)
  onTestFinished(async () => server[Symbol.asyncDispose]())
  return server
}

async function send(url: string, what: Pick<Exchange, 'method' | 'body'> = POST) {
  const headers = { authorization: 'Bearer ours' }
  const response = await exchange({ url: new URL(url), headers, ...what })
  return { status: response.status, text: await readText(response) }
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

it('keeps a body that arrives before anybody reads it', async () => {
  const long = 'x'.repeat(1_000_000)
  const { url } = await serve((_, response) => response.end(long))
  const response = await exchange({ url: new URL(url), headers: {}, ...POST })
  await sleep(200)
  expect(await readText(response)).toBe(long)
})

it('takes an interim answer for no answer', async () => {
  const { url } = await serve((_, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.writeHead(200).end('done')
  })
  expect(await send(url)).toEqual({ status: 200, text: 'done' })
})

it('ends an answer when its call is cancelled', async () => {
  let isClosed = false
  const { url } = await serve((_, response) => {
    response.once('close', () => (isClosed = true))
    response.writeHead(200).write('first part')
  })
  const signal = new Canceller()
  const response = await exchange({ url: new URL(url), headers: {}, ...POST, signal })
  const reading = readText(response)
  signal.abort(new Error('the client left'))
  await expect(reading).rejects.toThrow('cut off')
  await expect.poll(() => isClosed).toBe(true)
})

it('says that an answer was cut off, and ends one that is too long', async () => {
  const cut = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setImmediate(() => response.destroy())
  })
  await expect(send(cut.url)).rejects.toThrow('its answer was cut off')
  const endless = await serve((_, response) => void response.writeHead(200).write('x'.repeat(100)))
  const response = await exchange({ url: new URL(endless.url), headers: {}, ...POST })
  await expect(readText(response, 10)).rejects.toThrow('over the limit of 10 bytes')
})

it.each([
  ['repeats once what may be repeated', true, 2, 'done'],
  ['does not repeat other requests', false, 1, 'cannot be reached'],
])('%s after a lost connection', async (_, repeatable, times, said) => {
  const { url, seen } = await serve((_request, response) =>
    seen.length === 1 ? response.destroy() : response.end('done'),
  )
  const sent = exchange({ url: new URL(url), headers: {}, ...POST, repeatable })
  const outcome = await sent.then(readText).catch((error: unknown) => String(error))
  expect(outcome).toContain(said)
  expect(seen).toHaveLength(times)
})

it('sends the name and the password of an address, unless the headers have others', async () => {
  const { url } = await serve(({ headers }, response) => response.end(headers.authorization))
  const address = new URL(url)
  address.username = 'ada'
  address.password = 'p%40ss'
  const asked = { url: address, method: 'GET' } as const
  const basic = `Basic ${Buffer.from('ada:p@ss').toString('base64')}`
  expect(await readText(await exchange({ ...asked, headers: {} }))).toBe(basic)
  const headers = { authorization: 'Bearer ours' }
  expect(await readText(await exchange({ ...asked, headers }))).toBe('Bearer ours')
})

const LONG = 'a sentence. '.repeat(20_000)

it.each([
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('decompresses %s, and holds the text to its bound', async (encoding, compress) => {
  const { url } = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(compress(LONG)),
  )
  expect((await send(url)).text).toBe(LONG)
  const response = await exchange({ url: new URL(url), headers: {}, ...POST })
  // It waits for its reader, decompressed only in part.
  await sleep(50)
  await expect(readText(response, LONG.length - 1)).rejects.toThrow('over the limit')
})

it('decompresses no more of a bomb than its bound', async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000))
  const { url } = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  const before = process.memoryUsage().rss
  const response = await exchange({ url: new URL(url), headers: {}, ...POST })
  await expect(readText(response, 100_000)).rejects.toThrow('over the limit')
  const discarded = await exchange({ url: new URL(url), headers: {}, ...POST })
  discarded.discard()
  await sleep(200)
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
})

it('passes on each event of a compressed stream when it comes', async () => {
  const events = createGzip()
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
    response.flushHeaders()
    events.pipe(response)
  })
  const seen: string[] = []
  const response = await exchange({ url: new URL(url), headers: {}, method: 'GET' })
  const reading = readEvents(response, ({ data }) => seen.push(data))
  for (const data of ['one', 'two']) {
    events.write(`data: ${data}\n\n`)
    events.flush()
    await expect.poll(() => seen.at(-1)).toBe(data)
  }
  events.end()
  await reading
})

const encoded = async (encoding: string, body: string) => {
  const { url } = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(body),
  )
  return send(url)
}

it.each([
  ['what is not compressed', 'gzip', 'cannot be decompressed'],
  ['an encoding that nobody asked for', 'zstd', "has the encoding 'zstd'"],
])('says what is wrong with %s', async (_, encoding, wrong) => {
  await expect(encoded(encoding, '{"id":1}')).rejects.toThrow(wrong)
})

it('takes an empty body for empty, whatever its encoding', async () => {
  expect(await encoded('gzip', '')).toEqual({ status: 200, text: '' })
})

it('ends an answer that nobody needs when it does not end by itself', async () => {
  let isClosed = false
  const { url } = await serve((_, response) => {
    response.once('close', () => (isClosed = true)).writeHead(200)
    const more = () => response.write('x'.repeat(65_536), (error) => (error ? undefined : more()))
    more()
  })
  const response = await exchange({ url: new URL(url), headers: {}, ...POST })
  response.discard()
  await expect.poll(() => isClosed).toBe(true)
})
