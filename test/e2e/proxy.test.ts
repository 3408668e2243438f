import http from 'node:http'
import { createProxy } from 'proxy'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendJson, serveHttp } from '../support/http-server.ts'
import { runBuilt } from '../support/run-built.ts'
import { type Started, startHttpUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Only the proxy knows these hosts, as in a network that reaches the world through one. */
const HOST = 'outside.example'
const server = http.createServer()
const asked: string[] = []
server.prependListener('connect', (request: http.IncomingMessage) => {
  asked.push(request.url ?? '')
  request.url = request.url?.replace(HOST, '127.0.0.1')
})
const proxy = createProxy(server)
proxy.authenticate = ({ headers }) => headers['proxy-authorization'] === `Basic ${btoa('me:p@ss')}`
let env: Record<string, string>
let upstream: Started

beforeAll(async () => {
  upstream = await startHttpUpstream()
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const port = typeof address === 'object' ? address?.port : undefined
  env = { HTTP_PROXY: `http://me:p%40ss@127.0.0.1:${port}`, NO_PROXY: 'inside.example' }
})
afterAll(async () => {
  proxy.close()
  await upstream.close()
})

const outside = (url: string) => url.replace('127.0.0.1', HOST)

it('reaches remote servers through the proxy of the environment, and loopback directly', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', {
    mcpServers: { far: { url: outside(upstream.url) }, near: { url: upstream.url } },
  })
  const call = async (name: string, more = {}) =>
    runBuilt(folder, ['call', `${name}__echo`, 'text=hello'], { ...env, ...more })
  expect(await call('far')).toMatchObject({ code: 0, stdout: expect.stringContaining('hello') })
  expect(asked).toContain(new URL(outside(upstream.url)).host)
  asked.length = 0
  expect((await call('near')).stdout).toContain('hello')
  expect(asked).toEqual([])
  const doctor = await runBuilt(folder, ['doctor'], env)
  expect(doctor.stdout).toMatch(/✓ proxy +other machines are reached through 127\.0\.0\.1:\d+,/)
  asked.length = 0
  const exempt = await call('far', { NO_PROXY: HOST })
  expect(exempt).toMatchObject({ code: 1, stdout: expect.stringContaining('cannot be reached') })
  expect(asked).toEqual([])
})

it('calls APIs, reads web pages and asks for vectors through it', async () => {
  const page = '<html><title>Valves</title><h1>Valves</h1><p>The valve opens at 3 bar.</p></html>'
  await using site = await serveHttp(({ url, body }, response) => {
    if (url.pathname === '/v1/embeddings') {
      const { input } = JSON.parse(body)
      const data = [input].flat().map((_: unknown, index: number) => ({ index, embedding: [1, 0] }))
      return sendJson(response, { data })
    }
    if (url.pathname === '/orders') return sendJson(response, { orders: [{ id: 7 }] })
    response.setHeader('content-type', 'text/html').end(page)
  })
  const folder = tempFolder()
  folder.write('shop.json', {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: outside(site.url) }],
    paths: { '/orders': { get: { operationId: 'listOrders', responses: { 200: {} } } } },
  })
  folder.write('.mcp.json', { mcpServers: { shop: { openapi: folder.file('shop.json') } } })
  const orders = await runBuilt(folder, ['call', 'shop__listOrders'], env)
  expect(orders.stdout).toContain('7')
  const ingested = await runBuilt(folder, ['ingest', `${outside(site.url)}/valves.html`], {
    ...env,
    PORTOLAN_EMBEDDING_MODEL: 'tiny',
    PORTOLAN_EMBEDDING_BASE_URL: `${outside(site.url)}/v1`,
  })
  expect(ingested.stderr).toContain('1 document, 0 failed')
  expect(site.seen.map(({ url }) => url.pathname)).toEqual(
    expect.arrayContaining(['/orders', '/valves.html', '/v1/embeddings']),
  )
})

it('says what is wrong with a proxy that cannot be used, and works without it', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { far: { url: outside(upstream.url) } } })
  const wrong = { HTTP_PROXY: 'http://:3128' }
  const refused = await runBuilt(folder, ['call', 'far__echo', 'text=hello'], wrong)
  const reason = expect.stringContaining('HTTP_PROXY or ALL_PROXY cannot be used')
  expect(refused).toMatchObject({ code: 1, stdout: reason, stderr: reason })
  const doctor = await runBuilt(folder, ['doctor'], wrong)
  expect(doctor.stdout).toMatch(/✗ proxy +The proxy in HTTPS_PROXY/)
  const listed = await runBuilt(folder, ['call', 'list_servers'], wrong)
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('far') })
})
