import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { anApi, fine, inTurn, sends, status } from '../../../../test/support/an-api.ts'
import { sendJson } from '../../../../test/support/http-server.ts'
import { aContext } from '../../../../test/support/service-context.ts'
import { GatewayError } from '../../../gateway/errors.ts'

it('calls the API and gives its JSON as text and as structure', async () => {
  await using api = await anApi(fine, { headers: { 'X-Team': 'blue' } })
  expect(await api.call()).toEqual({
    content: [{ type: 'text', text: '{"id":7,"name":"Rex"}' }],
    structuredContent: { id: 7, name: 'Rex' },
  })
  expect(api.server.seen[0]?.url.pathname).toBe('/v1/pets/7')
  expect(api.server.seen[0]?.headers['x-team']).toBe('blue')
})

it('reuses its connections', async () => {
  const ports = new Set<number | undefined>()
  await using api = await anApi((_, response) => {
    ports.add(response.socket?.remotePort)
    sendJson(response, {})
  })
  for (let n = 0; n < 20; n++) await api.call()
  expect(ports.size).toBeLessThanOrEqual(2)
})

it('gives an error of the API as a tool error with its own words and the next step', async () => {
  await using api = await anApi(status(404))
  expect(await api.call()).toMatchObject({
    isError: true,
    structuredContent: {
      error: {
        code: 'HTTP_404',
        message: 'The API answered 404: no',
        retryable: false,
        hint: expect.stringContaining('list or search'),
        where: { server: 'pets', tool: 'getPet', http_status: 404 },
        upstream: { message: 'no' },
      },
    },
  })
})

it('throws an outage, so that the breaker of the gateway sees it', async () => {
  await using api = await anApi(status(500), { retries: 1 })
  const failure = await api.call().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(GatewayError)
  expect(failure).toMatchObject({ code: 'SERVER_UNAVAILABLE', retryable: true })
  expect(api.server.seen).toHaveLength(2)
})

it('waits as long as Retry-After says, then tries again, even for a write', async () => {
  await using api = await anApi(inTurn(status(429, { 'retry-after': '0' }), fine))
  expect(await api.call({ id: '7', body: {} }, 'feedPet')).not.toHaveProperty('isError')
  expect(api.server.seen).toHaveLength(2)
})

it('does not wait for minutes: it tells the agent when to come back', async () => {
  await using api = await anApi(status(429, { 'retry-after': '120' }))
  expect(await api.call()).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'HTTP_429', retryable: true, retry_after_ms: 120_000 } },
  })
  expect(api.server.seen).toHaveLength(1)
})

it('repeats a failed read but never a failed write', async () => {
  await using api = await anApi(inTurn(status(502), fine))
  expect(await api.call()).toMatchObject({ structuredContent: { name: 'Rex' } })
  await using broken = await anApi(status(502))
  await expect(broken.call({ id: '7', body: {} }, 'feedPet')).rejects.toThrow('502')
  expect(broken.server.seen).toHaveLength(1)
})

it('gives up on a slow API in time, with a timeout', async () => {
  await using api = await anApi(() => {}, { timeoutMs: 100, retries: 0 })
  const startedAt = performance.now()
  await expect(api.call()).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

it('stops when the caller gives up', async () => {
  await using api = await anApi(() => {})
  const controller = new AbortController()
  const pending = api.call({ id: '7' }, 'getPet', aContext({ signal: controller.signal }))
  setTimeout(() => controller.abort(), 20)
  await expect(pending).rejects.toThrow(/abort/i)
})

it('says that a host cannot be reached', async () => {
  await using api = await anApi(fine, { baseUrl: 'http://127.0.0.1:1', retries: 0 })
  await expect(api.call()).rejects.toThrow('127.0.0.1:1 cannot be reached')
})

it('says so when a web page comes instead of JSON', async () => {
  await using api = await anApi(sends('text/html', '<title>Log in</title>'))
  await expect(api.call()).rejects.toThrow('sent a web page ("Log in")')
})

it('refuses a body beyond the limit, compressed or not', async () => {
  const big = JSON.stringify({ text: 'x'.repeat(200_000) })
  const plain = sends('application/json', big)
  const bomb = sends('application/json', gzipSync(big), 'gzip')
  for (const answer of [plain, bomb]) {
    await using api = await anApi(answer, { maxResponseBytes: 100_000 })
    expect(await api.call()).toMatchObject({
      isError: true,
      structuredContent: {
        error: { code: 'RESPONSE_TOO_LARGE', hint: expect.stringContaining('less') },
      },
    })
  }
})

it('reads compressed JSON', async () => {
  await using api = await anApi(sends('application/json', gzipSync('{"ok":true}'), 'gzip'))
  expect(await api.call()).toMatchObject({ structuredContent: { ok: true } })
})

it('gives a picture as a picture and another file as a resource', async () => {
  await using api = await anApi(
    inTurn(sends('image/png', 'bytes'), sends('application/pdf', 'bytes')),
  )
  const data = Buffer.from('bytes').toString('base64')
  expect(await api.call()).toEqual({ content: [{ type: 'image', data, mimeType: 'image/png' }] })
  expect(await api.call()).toMatchObject({
    content: [{ type: 'resource', resource: { mimeType: 'application/pdf', blob: data } }],
  })
})

it('tells how to get the next page, in the arguments of the tool', async () => {
  await using api = await anApi(({ url }, response) => {
    response.setHeader('link', `<http://h${url.pathname}?page=2>; rel="next"`)
    sendJson(response, { items: [1] })
  })
  expect(await api.call()).toMatchObject({ structuredContent: { items: [1], _next: { page: 2 } } })
})
