import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { aTrace } from '../../../../test/support/traces-client.ts'
import { aContext, use } from '../../../../test/support/use-tool.ts'
import { toolsElsewhere as aClient } from '../../../../test/support/traces-tools.ts'
import type { Fetch } from './http-port.ts'
import { limitsFromEnv } from './limits-from-env.ts'

const silent: Fetch = async () => new Promise(() => {})
const garbage: Fetch = async () => new Response('<html>')

describe('when the service fails', () => {
  const servers: Server[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  /** A real HTTP server that answers as told and counts what it is asked. */
  async function aServer(
    answer: () => {
      status: number
      body?: unknown
      delayMs?: number
      headers?: Record<string, string>
    },
  ) {
    const seen = { calls: 0 }
    const server = createServer((request, response) => {
      // The connection is made before the first call needs it.
      if (request.url !== '/health') seen.calls += 1
      const { status, body = {}, delayMs = 0, headers = {} } = answer()
      setTimeout(
        () =>
          response
            .writeHead(status, { 'Content-Type': 'application/json', ...headers })
            .end(JSON.stringify(body)),
        delayMs,
      )
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    return { seen, baseUrl: `http://127.0.0.1:${port}` }
  }

  it('opens after five consecutive 5xx and then spares the service', async () => {
    const { seen, baseUrl } = await aServer(() => ({ status: 500 }))
    const client = aClient({ baseUrl, readTimeoutMs: 5_000 })
    const texts = []
    for (let n = 0; n < 12; n += 1) texts.push(await use(client, 'list_tags'))
    expect(seen.calls).toBe(5)
    expect(texts.map(({ structured }) => structured.reason)).toEqual([
      ...Array.from({ length: 5 }, () => 'unavailable'),
      ...Array.from({ length: 7 }, () => 'circuit_open'),
    ])
    expect(texts.at(-1)?.text).toBe(
      '[CommonTrace unavailable] The knowledge base is temporarily unreachable. Continuing without trace lookup. You can retry later.',
    )
    expect(texts.every(({ isError }) => isError === undefined)).toBe(true)
  })

  it('lets one call through to test a half-open circuit, and recovers by itself', async () => {
    let healthy = false
    const { seen, baseUrl } = await aServer(() => ({
      status: healthy ? 200 : 503,
      body: { tags: [] },
      delayMs: 20,
    }))
    const client = aClient({ baseUrl, failureThreshold: 2, recoveryMs: 100, readTimeoutMs: 5_000 })
    await use(client, 'list_tags')
    await use(client, 'list_tags')
    await new Promise((resolve) => setTimeout(resolve, 120))
    const during = seen.calls
    await Promise.all(Array.from({ length: 10 }, async () => use(client, 'list_tags')))
    expect(seen.calls - during).toBe(1)
    healthy = true
    await new Promise((resolve) => setTimeout(resolve, 120))
    expect((await use(client, 'list_tags')).structured.degraded).toBe(false)
  })

  it('answers the others at once while one call tests a half-open circuit', async () => {
    const recovered = new AbortController()
    let calls = 0
    const fetch: Fetch = async () => {
      calls += 1
      if (calls === 1) return Response.json({}, { status: 503 })
      if (!recovered.signal.aborted) await once(recovered.signal, 'abort')
      return Response.json({ tags: [] })
    }
    const client = aClient({ fetch, failureThreshold: 1, recoveryMs: 50, readTimeoutMs: 2_000 })
    await use(client, 'list_tags')
    await new Promise((resolve) => setTimeout(resolve, 60))
    const probe = use(client, 'list_tags')
    const others = await Promise.all(
      Array.from({ length: 5 }, async () => use(client, 'list_tags')),
    )
    expect(others.map(({ structured }) => structured.reason)).toEqual(
      Array.from({ length: 5 }, () => 'circuit_open'),
    )
    expect(calls).toBe(2)
    recovered.abort()
    expect((await probe).structured.degraded).toBe(false)
    expect((await use(client, 'list_tags')).structured.degraded).toBe(false)
  })

  it('waits and gives up as the environment says, in seconds', async () => {
    const { seen, baseUrl } = await aServer(() => ({ status: 200, delayMs: 10_000 }))
    const limits = limitsFromEnv({
      PORTOLAN_TRACES_READ_TIMEOUT: '0.05',
      PORTOLAN_TRACES_CIRCUIT_FAILURE_THRESHOLD: '2',
      PORTOLAN_TRACES_CIRCUIT_RECOVERY_TIMEOUT: '60',
    })
    expect(limits).toMatchObject({
      readTimeoutMs: 50,
      writeTimeoutMs: 2_000,
      recoveryMs: 60_000,
    })
    const client = aClient({ baseUrl, ...limits })
    for (let n = 0; n < 3; n += 1) await use(client, 'list_tags')
    expect((await use(client, 'list_tags')).structured.reason).toBe('circuit_open')
    expect(seen.calls).toBeLessThanOrEqual(2)
    expect(() => limitsFromEnv({ PORTOLAN_TRACES_READ_TIMEOUT: 'soon' })).toThrow(/READ_TIMEOUT/)
  })

  it('does not open for refusals', async () => {
    const { seen, baseUrl } = await aServer(() => ({
      status: 404,
      body: { detail: 'Trace not found' },
    }))
    const client = aClient({ baseUrl, readTimeoutMs: 5_000 })
    for (let n = 0; n < 8; n += 1) await use(client, 'list_tags')
    expect(seen.calls).toBe(8)
  })

  it('keeps the failures of one key from the others', async () => {
    let bad = true
    const { baseUrl } = await aServer(() => ({ status: bad ? 500 : 200, body: { tags: [] } }))
    const client = aClient({ baseUrl, failureThreshold: 2, readTimeoutMs: 5_000 })
    await use(client, 'list_tags', {}, { 'x-api-key': 'bad' })
    await use(client, 'list_tags', {}, { 'x-api-key': 'bad' })
    bad = false
    expect((await use(client, 'list_tags', {}, { 'x-api-key': 'good' })).structured.degraded).toBe(
      false,
    )
    expect((await use(client, 'list_tags', {}, { 'x-api-key': 'bad' })).structured.reason).toBe(
      'circuit_open',
    )
  })

  it('does not take it for a failure of the service when callers give up', async () => {
    const { baseUrl } = await aServer(() => ({ status: 200, body: { tags: [] }, delayMs: 50 }))
    const client = aClient({ baseUrl, readTimeoutMs: 5_000 })
    for (let n = 0; n < 6; n += 1) {
      const context = { ...aContext(), signal: AbortSignal.timeout(10) }
      await client.handle('tools/call', { name: 'list_tags', arguments: {} }, context)
    }
    expect((await use(client, 'list_tags')).structured.degraded).toBe(false)
  })

  it('counts no calls: the service elsewhere limits its keys itself', async () => {
    const { seen, baseUrl } = await aServer(() => ({ status: 200, body: { tags: [] } }))
    const client = aClient({ baseUrl, readTimeoutMs: 5_000 })
    const answers = await Promise.all(
      Array.from({ length: 45 }, async () => use(client, 'list_tags')),
    )
    expect(seen.calls).toBe(45)
    expect(answers.every(({ structured }) => !structured.degraded)).toBe(true)
  })

  it('keeps twenty requests under way at once; the others wait their turn', async () => {
    let [now, most] = [0, 0]
    const slow: Fetch = async () => {
      most = Math.max(most, (now += 1))
      await new Promise((resolve) => setTimeout(resolve, 20))
      now -= 1
      return Response.json({ tags: [] })
    }
    vi.stubGlobal('fetch', async (request: Request) =>
      request.url.endsWith('/health') ? new Response('{}') : slow(request),
    )
    const client = aClient({
      baseUrl: 'http://there.invalid',
      readTimeoutMs: 5_000,
    })
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => use(client, 'list_tags')),
    )
    vi.unstubAllGlobals()
    expect(most).toBe(20)
    expect(answers.every(({ structured }) => !structured.degraded)).toBe(true)
  })

  it('takes the wait for a connection for no failure of the service', async () => {
    const held: (() => void)[] = []
    vi.stubGlobal('fetch', async (request: Request) => {
      if (request.method === 'POST') await new Promise<void>((resolve) => held.push(resolve))
      return Response.json({ tags: [], id: 'x' })
    })
    const client = aClient({
      baseUrl: 'http://there.invalid',
      readTimeoutMs: 50,
      writeTimeoutMs: 60_000,
      failureThreshold: 1,
      recoveryMs: 60_000,
    })
    const holding = Array.from({ length: 20 }, async () =>
      use(client, 'contribute_trace', aTrace()),
    )
    await vi.waitFor(() => expect(held).toHaveLength(20))
    expect((await use(client, 'list_tags')).structured.reason).toBe('timeout')
    for (const release of held) release()
    await Promise.all(holding)
    expect((await use(client, 'list_tags')).structured.degraded).toBe(false)
    vi.unstubAllGlobals()
  })

  it('uses the connection made in advance, and waits for it within the limit of the call', async () => {
    const order: string[] = []
    const connected = new AbortController()
    vi.stubGlobal('fetch', async (request: Request) => {
      const isHealth = request.url.endsWith('/health')
      if (isHealth && !connected.signal.aborted) await once(connected.signal, 'abort')
      order.push(isHealth ? 'connection' : 'call')
      return Response.json(isHealth ? {} : { tags: [] })
    })
    const client = aClient({ baseUrl: 'http://there.invalid', readTimeoutMs: 100 })
    const first = await use(client, 'list_tags')
    expect(first.structured).toEqual({ degraded: true, reason: 'timeout' })
    const second = use(client, 'list_tags')
    connected.abort()
    expect((await second).structured.degraded).toBe(false)
    vi.unstubAllGlobals()
    expect(order).toEqual(['connection', 'call'])
  })

  it('opens for a service that is silent from the start', async () => {
    const client = aClient({ fetch: silent, readTimeoutMs: 20, failureThreshold: 2 })
    const reasons = []
    for (let n = 0; n < 3; n += 1) reasons.push((await use(client, 'list_tags')).structured.reason)
    expect(reasons).toEqual(['timeout', 'timeout', 'circuit_open'])
  })

  it('answers a read within 200 ms and a write within 2 s when the service is slow', async () => {
    const { baseUrl } = await aServer(() => ({ status: 200, delayMs: 10_000 }))
    const client = aClient({ baseUrl })
    const read = await use(client, 'search_traces', { query: 'x' })
    expect(read.text).toBe(
      '[CommonTrace timeout] Search took too long and was cancelled. The knowledge base may be under heavy load. Continuing without results.',
    )
    expect(read.ms).toBeLessThan(5000)
    const write = await use(client, 'contribute_trace', aTrace())
    expect(write.structured).toEqual({ degraded: true, reason: 'timeout' })
    expect(write.ms).toBeLessThan(8000)
  })

  it('answers in time when the transport ignores its abort signal', async () => {
    const answer = await use(aClient({ fetch: silent }), 'list_tags')
    expect(answer.structured.reason).toBe('timeout')
    expect(answer.text).toContain(
      '[CommonTrace timeout] The knowledge base took too long to answer',
    )
    expect(answer.ms).toBeLessThan(5000)
  })

  it('says so when nothing listens, and when the answer is no JSON', async () => {
    const down = await use(aClient({ baseUrl: 'http://127.0.0.1:1' }), 'list_tags')
    expect(down.structured).toEqual({ degraded: true, reason: 'unavailable' })
    expect((await use(aClient({ fetch: garbage }), 'list_tags')).structured.reason).toBe(
      'unavailable',
    )
  })

  it('says so when something else answers at the address of the service', async () => {
    const { baseUrl } = await aServer(() => ({ status: 200, body: { hello: 1 } }))
    const client = aClient({ baseUrl, readTimeoutMs: 5_000, writeTimeoutMs: 5_000 })
    const id = '00000000-0000-4000-8000-000000000000'
    for (const [tool, input] of [
      ['search_traces', { query: 'x' }],
      ['get_trace', { trace_id: id }],
      ['list_tags', {}],
      ['contribute_trace', aTrace()],
      ['vote_trace', { trace_id: id, vote_type: 'up' }],
    ] as const) {
      const answer = await use(client, tool, input)
      expect(answer.structured).toEqual({ degraded: true, reason: 'unexpected_answer' })
      expect(answer.text).toContain('Check its address')
    }
  })

  it('tells when to come back after too many requests, without opening the circuit', async () => {
    const { seen, baseUrl } = await aServer(() => ({
      status: 429,
      body: { detail: 'Rate limit exceeded' },
      headers: { 'Retry-After': '7' },
    }))
    const client = aClient({ baseUrl, readTimeoutMs: 5_000 })
    for (let n = 0; n < 6; n += 1) await use(client, 'list_tags')
    const answer = await use(client, 'list_tags')
    expect(answer.text).toBe(
      '[CommonTrace rate limit] Too many requests for this key. Try again in 7 s.',
    )
    expect(answer.structured).toEqual({
      degraded: true,
      reason: 'rate_limited',
      retry_after_seconds: 7,
    })
    expect(seen.calls).toBe(7)
  })
})
