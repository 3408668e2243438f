import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aTracesService } from '../../../../test/support/a-traces-service.ts'
import { aTrace } from '../../../../test/support/traces-client.ts'
import type { RateLimits } from '../../kit/define-builtin.ts'

describe('keys', () => {
  it('are refused when missing, forged or revoked, always in the same words', async () => {
    const traces = await aTracesService()
    const agent = await traces.account()
    const missing = await traces.request('GET', '/api/v1/tags')
    expect([missing.status, missing.body.detail]).toEqual([
      401,
      'Missing API key: send it in the X-API-Key header',
    ])
    const forged = await traces.request('GET', '/api/v1/tags', { key: `${agent.key}x` })
    expect([forged.status, forged.body.detail]).toEqual([401, 'Invalid API key'])
    await agent.delete('/keys')
    const revoked = await agent.get('/tags')
    expect([revoked.status, revoked.body.detail]).toEqual([401, 'Invalid API key'])
  })

  it('are stored hashed, and found again when a pepper is introduced', async () => {
    const traces = await aTracesService()
    const agent = await traces.account()
    const rows = await traces.storage.db.selectFrom('accounts').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(agent.key)
    const { keyHashes } = await import('../service/accounts.ts')
    expect(keyHashes(agent.key, 'pepper')).toContain(rows[0]?.key_hash)
  })

  it('can be rotated: the old one stops at once', async () => {
    const traces = await aTracesService()
    const agent = await traces.account()
    const { body } = await agent.post('/keys/rotate')
    expect((await agent.get('/keys/verify')).status).toBe(401)
    const verified = await traces.request('GET', '/api/v1/keys/verify', { key: body.api_key })
    expect(verified.body).toEqual({ valid: true, user_id: agent.id })
  })

  it('cannot be collected or guessed without end from one address', async () => {
    const traces = await aTracesService({ settings: { rateLimitKeysPerHour: 3 } })
    const register = async () => traces.request('POST', '/api/v1/keys', { body: {} })
    const answers = [await register(), await register(), await register(), await register()]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429])
    expect(answers[3]?.headers.get('Retry-After')).toBe('1200')
    let last = 0
    for (let n = 0; n < 70; n += 1)
      last = (await traces.request('GET', '/api/v1/tags', { key: `guess-${n}` })).status
    expect(last).toBe(429)
  })

  it('without an e-mail may read, but neither contribute nor vote', async () => {
    const traces = await aTracesService()
    const anonymous = await traces.account({ email: null })
    expect((await anonymous.get('/tags')).status).toBe(200)
    const refused = await anonymous.post('/traces', aTrace())
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining('Email registration required'),
    ])
  })

  it('say whether they may contribute', async () => {
    const traces = await aTracesService()
    const withMail = await traces.request('POST', '/api/v1/keys', {
      body: { email: 'ada@example.com' },
    })
    const without = await traces.request('POST', '/api/v1/keys', { body: {} })
    expect([withMail.body.can_contribute, without.body.can_contribute]).toEqual([true, false])
    expect(without.body.message).toContain('to contribute, get a key with an e-mail address')
  })

  it('need an invitation to contribute where the service says so', async () => {
    const traces = await aTracesService({ settings: { requireInvitation: true } })
    const outsider = await traces.account()
    const refused = await outsider.post('/traces', aTrace())
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining('Contribution requires an invitation'),
    ])
    const { body } = await traces.owner('POST', '/admin/invitations', {})
    const insider = await traces.request('POST', '/api/v1/keys', {
      body: { email: 'insider@example.com', invitation_code: body.codes[0] },
    })
    expect([insider.status, insider.body.can_contribute]).toEqual([201, true])
    const late = await traces.request('POST', '/api/v1/keys', {
      body: { email: 'late@example.com', invitation_code: body.codes[0] },
    })
    expect(late.status).toBe(422)
    const retry = await traces.request('POST', '/api/v1/keys', {
      body: { email: 'late@example.com' },
    })
    expect(retry.status).toBe(201)
  })
})

describe('limits', () => {
  it('give each key its own bucket, and say truthfully when to come back', async () => {
    const traces = await aTracesService({
      settings: { rateLimitReadPerMinute: 60, rateLimitWritePerMinute: 20 },
    })
    const [one, two] = [await traces.account(), await traces.account()]
    const statuses = []
    for (let n = 0; n < 61; n += 1) statuses.push((await one.get('/tags')).status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(60)
    let refused = await one.get('/tags')
    while (refused.status === 200) refused = await one.get('/tags')
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '1'])
    expect((await two.get('/tags')).status).toBe(200)
    traces.travel(1000)
    expect((await one.get('/tags')).status).toBe(200)
    for (let n = 0; n < 20; n += 1) await two.post('/traces', {})
    const wrote = await two.post('/traces', {})
    expect([wrote.status, wrote.headers.get('Retry-After')]).toEqual([429, '3'])
  })

  it('leave invitations out of what a key may read and write, though not without end', async () => {
    const traces = await aTracesService({
      settings: { rateLimitReadPerMinute: 1, rateLimitWritePerMinute: 1 },
    })
    const agent = await traces.account()
    for (let n = 0; n < 30; n += 1) {
      const answers = await Promise.all([
        agent.get('/invitations'),
        agent.post('/invitations/redeem', { code: 'ctinv_unknown' }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 404])
    }
    expect((await agent.get('/tags')).status).toBe(200)
    expect((await agent.contribute()).length).toBe(36)
    let last = await agent.get('/invitations')
    for (let n = 0; n < 100 && last.status === 200; n += 1) last = await agent.get('/invitations')
    expect(last.status).toBe(429)
  })

  it('may be kept elsewhere, by somebody who answers later', async () => {
    const asked: string[] = []
    const take: RateLimits['take'] = async (name, rate) => {
      asked.push(`${name} ${rate.capacity}/${rate.perMs}`)
      return Promise.resolve(name.startsWith('write:') ? 7 : 0)
    }
    const traces = await aTracesService({
      settings: { rateLimitReadPerMinute: 60, rateLimitWritePerMinute: 20 },
      limiter: { take },
    })
    const agent = await traces.account()
    expect((await agent.get('/tags')).status).toBe(200)
    const refused = await agent.post('/traces', aTrace())
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '7'])
    expect(asked).toEqual([
      'keys:in-process 100000/3600000',
      `read:${agent.id} 60/60000`,
      `write:${agent.id} 20/60000`,
    ])
  })

  it('refuse a body over a mebibyte, whatever its headers say', async () => {
    const traces = await aTracesService()
    const agent = await traces.account()
    const huge = JSON.stringify({ title: 'x'.repeat(1024 * 1024) })
    const { status, body, headers } = await agent.post('/traces', huge)
    expect([status, body.detail]).toEqual([413, 'Request body too large'])
    expect(headers.get('connection'), 'what is left of the body is not read').toBe('close')
    const small = await agent.post('/traces', '{}')
    expect([small.status, small.headers.get('connection')]).toEqual([422, null])
  })

  it.each([
    ['title', { title: 'x'.repeat(201) }],
    ['context_text', { context_text: 'x '.repeat(25_001) }],
    ['tags', { tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }],
    ['metadata_json', { metadata_json: { blob: 'word '.repeat(2_100) } }],
    ['tokens_to_resolution', { tokens_to_resolution: -1 }],
    ['supersedes_trace_id', { supersedes_trace_id: 'no-uuid' }],
    ['review_after', { review_after: 'tomorrow' }],
    ['title', { title: 42 }],
    ['tags', { tags: 'python' }],
    ['title', { title: '   ' }],
  ])('refuse a bad %s and name it', async (field, change) => {
    const traces = await aTracesService()
    const agent = await traces.account()
    const { status, body } = await agent.post('/traces', aTrace(change))
    expect(status).toBe(422)
    expect(body.errors).toEqual([expect.objectContaining({ path: field })])
    expect(body.detail).toContain(field)
  })

  it('accept exactly twenty tags', async () => {
    const traces = await aTracesService()
    const agent = await traces.account()
    const tags = Array.from({ length: 20 }, (_, n) => `tag${n}`)
    expect((await agent.post('/traces', aTrace({ tags }))).status).toBe(202)
    expect((await agent.post('/traces/search', { tags })).body.total).toBe(1)
  })
})

describe('every answer', () => {
  it('is a problem document with a request id when something is wrong', async () => {
    const traces = await aTracesService()
    const agent = await traces.account()
    const broken = await agent.post('/traces', '{"title": ')
    expect(broken.status).toBe(400)
    expect(broken.headers.get('Content-Type')).toBe('application/problem+json')
    expect(broken.body.request_id).toBe(broken.headers.get('X-Request-ID'))
    const form = await traces.request('POST', '/api/v1/keys', {
      body: '{"email":"agent@example.com"}',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    expect([form.status, form.body.detail]).toEqual([
      415,
      'Send the body as JSON, with Content-Type: application/json',
    ])
    const nowhere = await traces.request('GET', '/api/v1/nowhere')
    expect([nowhere.status, nowhere.body.detail]).toEqual([404, 'There is no GET /api/v1/nowhere'])
    const unknown = await agent.get('/traces/not-a-uuid')
    expect(unknown.status).toBe(422)
  })

  it('keeps to itself what broke inside', async () => {
    const traces = await aTracesService()
    const agent = await traces.account()
    await traces.storage.db.schema.dropTable('search_misses').execute()
    await traces.storage.db.schema.dropTable('invitations').execute()
    const { status, body } = await agent.get('/invitations')
    expect(status).toBe(500)
    expect(body.detail).toBe('Something went wrong on our side')
    const search = await agent.post('/traces/search', { q: 'nothing like it' })
    expect(search.status).toBe(200)
  })

  it('is counted, timed and logged for those who debug, and for nobody else', async () => {
    const lines: string[] = []
    const traces = await aTracesService({
      settings: { debug: true },
      log: (line) => lines.push(line),
    })
    const agent = await traces.account()
    const id = await agent.contribute({ tags: ['seen'] })
    await agent.get(`/traces/${id}`)
    await agent.post('/traces/search', { tags: ['seen'] })
    await traces.request('GET', '/made/up')
    const { body } = await traces.request('GET', '/metrics')
    expect(body).toMatch(/^# TYPE commontrace_http_requests_total counter$/m)
    expect(body).toContain(
      'commontrace_http_requests_total{method="GET",path="/api/v1/traces/{id}",status="200"} 1',
    )
    expect(body).toContain(
      'commontrace_http_requests_total{method="GET",path="other",status="404"}',
    )
    expect(body).toContain('commontrace_search_requests_total{has_tags="true"} 1')
    expect(body).toMatch(/^commontrace_search_duration_seconds_bucket\{le="\+Inf"\} 1$/m)
    expect(body).not.toContain(id)
    // Prometheus wants all lines of one metric together.
    const metrics = String(body).match(/^\w+(?=[{ ])/gm) ?? []
    const changes = metrics.filter((name, at) => name !== metrics[at - 1])
    const counters = changes.filter((name) => name.endsWith('_total'))
    expect(counters).toEqual([...new Set(counters)])
    expect(lines.map((line) => JSON.parse(line))).toContainEqual({
      request_id: expect.any(String),
      method: 'GET',
      path: `/api/v1/traces/${id}`,
      status: 200,
      duration_ms: expect.any(Number),
    })
    const quiet = await aTracesService({ log: (line) => lines.push(line) })
    const before = lines.length
    expect((await quiet.request('GET', '/metrics')).status).toBe(404)
    expect(lines).toHaveLength(before)
  })

  it('allows the configured origins, and no others', async () => {
    const traces = await aTracesService({ settings: { corsOrigins: ['https://team.example'] } })
    const from = async (origin: string) =>
      (await traces.request('GET', '/health', { headers: { Origin: origin } })).headers.get(
        'Access-Control-Allow-Origin',
      )
    expect(await from('https://team.example')).toBe('https://team.example')
    expect(await from('https://elsewhere.example')).toBeNull()
  })
})

describe('the owner', () => {
  it('may send the token or its hash', async () => {
    const traces = await aTracesService()
    const hash = createHash('sha256').update('owner').digest('hex')
    const ask = async (token: string) =>
      (await traces.request('GET', '/api/v1/admin/health', { headers: { 'X-Admin-Token': token } }))
        .status
    expect([await ask('owner'), await ask(hash), await ask('other')]).toEqual([200, 200, 401])
  })

  it('has no routes without a token', async () => {
    const traces = await aTracesService({ settings: { adminDashboardToken: '' } })
    const { status } = await traces.request('GET', '/api/v1/admin/health', {
      headers: { 'X-Admin-Token': '' },
    })
    expect(status).toBe(503)
  })
})
