import { EventEmitter, once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished, vi } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { anApi, fine, inTurn, sends, status } from '../../../../test/support/an-api.ts'
import { type Answer, sendJson } from '../../../../test/support/http-server.ts'
import { aContext } from '../../../../test/support/service-context.ts'
import { isObject } from '../../../base/json/json.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { withProgress } from './with-progress.ts'

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

it('keeps the status of an error whose body is not the JSON that it claims to be', async () => {
  await using api = await anApi((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('Unauthorized')
  })
  expect(await api.call()).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'HTTP_401', upstream: 'Unauthorized' } },
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

it('does not try again when the time for all attempts is nearly over', async () => {
  await using patient = await anApi(status(502), { retries: 2 })
  await expect(patient.call()).rejects.toThrow('502')
  expect(patient.server.seen).toHaveLength(3)

  await using api = await anApi(status(502), { retries: 2 })
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 30_000))
  onTestFinished(() => clock.mockRestore())
  await expect(api.call()).rejects.toThrow('502')
  expect(api.server.seen).toHaveLength(1)
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
  expect(await api.call()).toEqual({
    content: [
      { type: 'text', text: '7: image/png, 5 bytes' },
      { type: 'image', data, mimeType: 'image/png' },
    ],
  })
  expect(await api.call()).toMatchObject({
    content: [
      { type: 'text', text: '7: application/pdf, 5 bytes' },
      { type: 'resource', resource: { mimeType: 'application/pdf', blob: data } },
    ],
  })
})

it.each([
  ['attachment; filename="a b.pdf"', 'a b.pdf'],
  ["attachment; filename=x; filename*=UTF-8''%C3%BC.pdf", 'ü.pdf'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
])('names a download as %s says', async (disposition, name) => {
  await using api = await anApi((_, response) => {
    response.setHeader('content-disposition', disposition)
    response.writeHead(200, { 'content-type': 'application/pdf' }).end('bytes')
  })
  const text = `${name}: application/pdf, 5 bytes`
  expect(await api.call()).toMatchObject({ content: [{ text }, {}] })
})

it('takes bytes without a type for a file, and text without one for text', async () => {
  await using api = await anApi(
    inTurn(untyped(Buffer.from([0xff, 0xd8, 0xff])), untyped(Buffer.from('ü'))),
  )
  expect(await api.call()).toMatchObject({ content: [{}, { resource: { blob: '/9j/' } }] })
  expect(await api.call()).toMatchObject({ content: [{ type: 'text', text: 'ü' }] })
})

it.each([
  ['text/plain; charset=iso-8859-1', Buffer.from('Gr\u00fc\u00dfe', 'latin1')],
  ['text/plain; charset="UTF-16LE"', Buffer.from('Grüße', 'utf16le')],
  ['text/plain; charset=nonsense', Buffer.from('Grüße')],
  ['text/plain', Buffer.from('Grüße')],
])('reads %s in its charset', async (type, body) => {
  await using api = await anApi(sends(type, body))
  expect(await api.call()).toMatchObject({ content: [{ type: 'text', text: 'Grüße' }] })
})

it('reads XML in the encoding that it names, unless the API names another', async () => {
  const xml = '<?xml version="1.0" encoding="ISO-8859-1"?><a>Grüße</a>'
  for (const [type, body] of [
    ['application/xml', Buffer.from(xml, 'latin1')],
    ['application/xml; charset=utf-8', Buffer.from(xml)],
  ] as const) {
    await using api = await anApi(sends(type, body))
    expect(await api.call()).toMatchObject({ content: [{ text: xml }] })
  }
})

it.each([
  'application/ndjson',
  'application/jsonl',
  'application/json-seq',
  'application/csv',
  'application/x-yaml',
  'application/vnd.github.diff; charset=utf-8',
])('gives %s as text', async (type) => {
  await using api = await anApi(sends(type, 'a,1\nb,2\n'))
  expect(await api.call()).toEqual({ content: [{ type: 'text', text: 'a,1\nb,2\n' }] })
})

it('asks for JSON before all else where there is a choice', async () => {
  const content = { 'application/xml': {}, 'application/json': {}, 'text/csv': {} }
  const get = { operationId: 'a', responses: { 200: { content } } }
  await using api = await anApi(fine, {}, aSpec({ '/a': { get } }))
  await api.call({}, 'a')
  expect(api.server.seen[0]?.headers['accept']).toBe(
    'application/json, application/xml;q=0.5, text/csv;q=0.5',
  )
})

it('gives every failure in one form', async () => {
  const failing = [
    await anApi(status(404)),
    await anApi(status(500), { retries: 0 }),
    await anApi(fine, { baseUrl: 'http://127.0.0.1:1', retries: 0 }),
    await anApi(() => {}, { timeoutMs: 50, retries: 0 }),
    await anApi(sends('application/json', '{'), { retries: 0 }),
  ]
  const codes = ['HTTP_404', 'HTTP_500', 'SERVER_UNAVAILABLE', 'TIMEOUT', 'SERVER_UNAVAILABLE']
  for (const [index, api] of failing.entries()) {
    const result = await api.call().catch((error: GatewayError) => error.details.result)
    expect(result).toMatchObject({ isError: true })
    expect(JSON.parse(textOf(result))).toMatchObject({
      error: {
        code: codes[index],
        message: expect.any(String),
        hint: expect.any(String),
        retryable: index > 0,
        where: { server: 'pets', tool: 'getPet' },
      },
    })
    await api[Symbol.asyncDispose]()
  }
})

it('tells a client that waits for long, every two seconds, that the call is still running', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const told: unknown[] = []
  const context = aContext({ progress: ({ message }) => told.push(message) })
  const events = new EventEmitter()
  const answer = once(events, 'answer')
  const running = withProgress(async () => answer, 'getPet', context)
  await vi.advanceTimersByTimeAsync(4_900)
  expect(told).toEqual([])
  await vi.advanceTimersByTimeAsync(4_200)
  expect(told).toEqual([5, 7, 9].map((s) => `getPet: the API has not answered for ${s} s`))
  events.emit('answer', 'done')
  expect(await running).toEqual(['done'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toHaveLength(3)
})

it('tells how to get the next page, in the arguments of the tool', async () => {
  await using api = await anApi(({ url }, response) => {
    response.setHeader('link', `<http://h${url.pathname}?page=2>; rel="next"`)
    sendJson(response, { items: [1] })
  })
  expect(await api.call()).toMatchObject({ structuredContent: { items: [1], _next: { page: 2 } } })
})

function textOf(result: unknown): string {
  const content = isObject(result) ? result['content'] : undefined
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  return isObject(first) ? String(first['text']) : ''
}

function untyped(body: Buffer): Answer {
  return (_, response) => {
    response.end(body)
  }
}

it.each([
  ['404', '{"code":404,"more":"404"}', '{"code":[secret],"more":"[secret]"}'],
  ['a"b', '{"key":"a\\"b"}', { key: '[secret]' }],
])(
  'hides the secret %s in an error, as a number and with its escapes',
  async (value, sent, seen) => {
    await using api = await anApi(
      (_, response) => response.writeHead(400, { 'content-type': 'application/json' }).end(sent),
      { auth: { type: 'apiKey', name: 'X-Key', value } },
    )
    expect(await api.call()).toMatchObject({ structuredContent: { error: { upstream: seen } } })
  },
)
