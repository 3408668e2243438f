import { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openToy } from '../../test/settings/open-toy.ts'
import { anHttpRequest } from '../../test/support/an-http-request.ts'
import type { CallEvent } from '../gateway/call.ts'
import { createDashboard } from './create-dashboard.ts'
import { Observer } from './observer.ts'

const OURS = { host: 'gateway.example', 'x-portolan-dashboard': '1' }

const as = (key: string) => ({ authorization: `Bearer ${key}` })

/** The API of a whole gateway without a socket, with a key of each role. */
async function aDashboard() {
  const { app } = await openToy({ PORTOLAN_AUTH_REQUIRED: 'true' })
  const api = createDashboard({
    sources: { ...app, setEnabled: undefined },
    serving: { sessions: () => 0, endpoint: () => 'http://gateway.example/mcp' },
    observer: new Observer(),
  })
  onTestFinished(() => api.close())
  const make = async (agent: string, role: 'admin' | 'viewer' | 'agent') =>
    (await app.keys.create(agent, { role })).secret
  const keys = {
    ada: await make('ada', 'admin'),
    bob: await make('bob', 'viewer'),
    bot: await make('bot', 'agent'),
  }
  async function ask(asked: string, headers: Record<string, string>, body?: object) {
    const [method = '', path = ''] = asked.split(' ')
    const incoming = anHttpRequest({ ...OURS, ...headers }, method)
    const request = new Request(`http://gateway.example/api/dashboard${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await api.fetch(request, { incoming, outgoing: new ServerResponse(incoming) })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  /** What the audit has since it was last asked. */
  let seen = 0
  const recorded = (): Readonly<CallEvent>[] => {
    const all = app.feed.recent()
    const news = all.slice(seen)
    seen = all.length
    return news
  }
  return { app, keys, ask, recorded }
}

describe('what is refused on the dashboard leaves a line in the audit:', () => {
  it('a wrong key, which is not shown', async () => {
    const { ask, recorded } = await aDashboard()
    const wrong = 'ptk_000000000000_wrong-wrong-wrong-wrong-wrong'
    expect((await ask('GET /overview', as(wrong))).status).toBe(401)
    expect((await ask('POST /login', {}, { key: wrong })).status).toBe(401)
    const lines = recorded()
    expect(lines).toMatchObject([
      { operation: 'dashboard', tool: 'GET /overview', decision: 'DENY' },
      { operation: 'dashboard', tool: 'POST /login', decision: 'DENY' },
    ])
    for (const line of lines) {
      expect(line).toMatchObject({ outcome: 'UNAUTHENTICATED', error: expect.any(String) })
      expect(line).not.toHaveProperty('agent')
    }
    expect(JSON.stringify(lines)).not.toContain('wrong-wrong')
  })

  it('a role that does not suffice, with whose it is', async () => {
    const { ask, keys, recorded } = await aDashboard()
    expect((await ask('GET /overview', as(keys.bot))).status).toBe(403)
    expect((await ask('POST /config/reload', as(keys.bob))).status).toBe(403)
    expect((await ask('POST /login', {}, { key: keys.bot })).status).toBe(403)
    const denied = { operation: 'dashboard', decision: 'DENY', outcome: 'ROLE_REQUIRED' }
    expect(recorded()).toMatchObject([
      { ...denied, tool: 'GET /overview', agent: 'bot' },
      { ...denied, tool: 'POST /config/reload', agent: 'bob' },
      { ...denied, tool: 'POST /login' },
    ])
    expect((await ask('GET /overview', as(keys.bob))).status).toBe(200)
    expect(recorded(), 'looking leaves none').toEqual([])
  })

  it('a page of another site, and a form without our mark', async () => {
    const { ask, keys, recorded } = await aDashboard()
    const admin = as(keys.ada)
    expect((await ask('GET /overview', { ...admin, origin: 'https://evil.example' })).status).toBe(
      403,
    )
    const unmarked = { ...admin, 'x-portolan-dashboard': '' }
    expect(
      (await ask('POST /config/reload', { ...unmarked, 'sec-fetch-site': 'cross-site' })).status,
    ).toBe(403)
    expect(recorded()).toMatchObject([
      { tool: 'GET /overview', decision: 'DENY', outcome: 'FORBIDDEN_ORIGIN' },
      { tool: 'POST /config/reload', decision: 'DENY', outcome: 'FORBIDDEN_ORIGIN' },
    ])
  })

  it('and nothing else: no page that asks for a key, no wrong address, no wrong input', async () => {
    const { ask, keys, recorded } = await aDashboard()
    expect((await ask('GET /me', {})).status).toBe(401)
    expect((await ask('GET /nowhere', as(keys.ada))).status).toBe(404)
    expect((await ask('DELETE /me', as(keys.ada))).status).toBe(405)
    expect((await ask('POST /keys', as(keys.ada), { agent: 'x' })).status).toBe(400)
    expect(recorded()).toEqual([])
  })

  it('a bounded number for callers that are not known, however many they make', async () => {
    const { ask, recorded } = await aDashboard()
    const begunMs = performance.now()
    for (let n = 0; n < 130; n++) await ask(`GET /overview?${n}`, as('ptk_wrong'))
    const lines = recorded()
    expect(lines.length).toBeGreaterThanOrEqual(100)
    expect(lines.length).toBeLessThanOrEqual(101 + (performance.now() - begunMs) / 1_000)
    const long = await ask(`GET /${'x'.repeat(5_000)}`, { origin: 'https://evil.example' })
    expect(long.status).toBe(403)
    for (const { tool = '' } of recorded()) expect(tool.length).toBeLessThanOrEqual(200)
  })
})

it('whoever logs in and out with a key leaves a line for each', async () => {
  const { ask, keys, recorded } = await aDashboard()
  const login = await ask('POST /login', {}, { key: keys.bob })
  expect(login.status).toBe(200)
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect((await ask('POST /logout', { cookie })).status).toBe(200)
  expect((await ask('POST /logout', {})).status).toBe(200)
  expect((await ask('POST /logout', { cookie: 'portolan_key=ptk_old' })).status).toBe(200)
  const done = { operation: 'dashboard', agent: 'bob', decision: 'ALLOW', outcome: 'ok' }
  const lines = recorded()
  expect(lines).toMatchObject([
    { ...done, tool: 'sign-in', arguments: { to: 'dashboard', with: 'key' } },
    { ...done, tool: 'sign-out', arguments: { of: 'dashboard' } },
  ])
  expect(lines).toHaveLength(2)
  expect(JSON.stringify(lines)).not.toContain(keys.bob)
})

it('every change leaves a line: who made it, what it is, and to which thing', async () => {
  const { ask, keys, app, recorded } = await aDashboard()
  const admin = as(keys.ada)
  const changed = async (asked: string, body?: object) => {
    expect((await ask(asked, admin, body)).status).toBe(200)
    const [line, ...more] = recorded()
    expect(more).toEqual([])
    expect(line).toMatchObject({ operation: 'dashboard', agent: 'ada', decision: 'ALLOW' })
    return [line?.tool, line?.arguments]
  }
  const made = await changed('POST /keys', { agent: 'eve', role: 'agent', days: 3 })
  const eve = (await app.keys.list()).find(({ agent }) => agent === 'eve')?.id ?? ''
  expect(made).toEqual(['keys.create', { key: eve, agent: 'eve', role: 'agent', days: 3 }])
  expect(await changed(`POST /keys/${eve}/revoke`)).toEqual(['keys.revoke', { key: eve }])
  expect(await changed('POST /servers/toy/restart')).toEqual(['servers.restart', { server: 'toy' }])
  expect(await changed('POST /config/reload')).toEqual([
    'config.reload',
    { outcome: expect.any(String) },
  ])
  expect(await changed('POST /capture', { on: true })).toEqual(['capture.start', {}])
  expect(await changed('POST /capture', { on: false })).toEqual(['capture.stop', {}])
  const key = { name: 'GITHUB_TOKEN', value: 'a-secret-of-ada' }
  expect(await changed('POST /connections/keys', key)).toEqual([
    'connections.set-key',
    { name: 'GITHUB_TOKEN' },
  ])
  expect(await changed('POST /connections/keys', { ...key, value: '' })).toEqual([
    'connections.remove-key',
    { name: 'GITHUB_TOKEN' },
  ])
})
