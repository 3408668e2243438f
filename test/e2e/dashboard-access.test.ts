import { describe, expect, it } from 'vitest'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { call, execute } from '../support/clients/talk.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { listenToCalls } from '../support/dashboard/listen-to-calls.ts'
import { as, openDashboard, sharedDashboard } from '../support/dashboard/open-dashboard.ts'
import { stdioUpstream } from '../support/start.ts'

describe('who may see the dashboard', () => {
  const running = sharedDashboard()
  const closed = sharedDashboard({ settings: { auth: { required: true } } })

  async function guarded() {
    const gateway = closed()
    const store = createFileKeyStore(identityFiles(gateway.folder.file('data')).keys)
    const [admin, viewer, agent] = await Promise.all([
      store.create('ada', { role: 'admin' }),
      store.create('bob', { role: 'viewer' }),
      store.create('ada'),
    ])
    const by = (secret: string) => dashboardOf(gateway.url, { authorization: `Bearer ${secret}` })
    return { ...gateway, store, admin, viewer, agent, by }
  }

  it('is everybody, who may only look, where no key is asked for', async () => {
    const { ask } = running()
    const { value } = await ask('GET /me')
    expect(value).toMatchObject({ role: 'admin', via: 'open', mayChange: false })
    expect(value.agent).toBe('dashboard')
    expect(value.actAs).toEqual(['dashboard', 'ada', 'bob'])
    expect(value.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
  })

  it('depends on the role of the key where one is', async () => {
    const { ask, by, admin, viewer, agent, url } = await guarded()
    expect(await ask('GET /overview')).toMatchObject({
      status: 401,
      failure: { code: 'UNAUTHENTICATED' },
    })
    expect((await by('ptk_000000000000_wrong')('GET /me')).status).toBe(401)
    expect(await ask('POST /login', { body: { key: 'ptk_000000000000_wrong' } })).toMatchObject({
      status: 401,
      failure: { hint: expect.stringContaining('portolan keys list') },
    })
    expect(await by(agent.secret)('GET /overview')).toMatchObject({
      status: 403,
      failure: { code: 'ROLE_REQUIRED', hint: expect.stringContaining('--role viewer') },
    })
    expect((await by(agent.secret)('GET /me')).value).toMatchObject({ role: 'agent', agent: 'ada' })
    expect((await by(viewer.secret)('GET /overview')).status).toBe(200)
    expect((await by(viewer.secret)('POST /config/reload')).status).toBe(403)
    expect((await by(admin.secret)('POST /config/reload')).status).toBe(200)
    expect((await by(admin.secret)('GET /me')).value).toMatchObject({ via: 'key', actAs: ['ada'] })
    await expect(listenToCalls(url)).rejects.toThrow('HTTP 401')
  })

  it('is told by a cookie after a login, until the key is revoked', async () => {
    const { ask, viewer, agent, store, url } = await guarded()
    const login = await ask('POST /login', { body: { key: viewer.secret } })
    expect(login.value).toMatchObject({ role: 'viewer', agent: 'bob', via: 'cookie' })
    const set = login.headers.get('set-cookie') ?? ''
    expect(set).toMatch(/HttpOnly; SameSite=Strict/)
    const cookie = set.split(';')[0] ?? ''
    const browser = dashboardOf(url, { cookie })
    expect((await browser('GET /servers')).status).toBe(200)
    expect((await ask('POST /login', { body: { key: agent.secret } })).status).toBe(403)
    expect((await ask('POST /login', { body: { key: 'ptk_no' } })).status).toBe(401)
    await store.revoke(viewer.key.id)
    expect((await browser('GET /servers')).status).toBe(401)
    const out = await browser('POST /logout')
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
  })

  it('acts only as its own agent with a key, and never with more than that agent may', async () => {
    const { by, viewer } = await guarded()
    const ask = by(viewer.secret)
    const other = await ask('GET /code', { query: { agent: 'ada' } })
    expect(other.value).toMatchObject({ available: false })
  })

  it('is no page of another site, and nothing that lacks the mark of ours', async () => {
    const { ask, url } = running()
    const others = [
      { origin: 'http://localhost:3000' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of others) expect((await ask('GET /overview', { headers })).status).toBe(403)
    expect((await ask('GET /overview', { headers: { origin: url } })).status).toBe(200)
    const unmarked = await fetch(`${url}/api/dashboard/config/reload`, { method: 'POST' })
    expect(unmarked.status).toBe(403)
    expect(await unmarked.json()).toMatchObject({ error: { code: 'MARK_MISSING' } })
  })

  it('gets a clear answer to what does not exist', async () => {
    const { url } = running()
    const status = async (path: string, init?: RequestInit) =>
      (await fetch(`${url}/api/dashboard${path}`, init)).status
    const headers = { 'x-portolan-dashboard': '1' }
    expect(await status('/nothing')).toBe(404)
    expect(await status('/overview', { method: 'DELETE', headers })).toBe(405)
    expect(await status('/policy/check', { method: 'POST', headers, body: '{' })).toBe(400)
    expect(await status('/policy/check', { method: 'POST', headers, body: '{}' })).toBe(400)
    const large = 'x'.repeat(32 << 20)
    expect(await status('/policy/check', { method: 'POST', headers, body: large })).toBe(413)
    expect(await status('/servers/%E0%A4%A')).toBe(400)
    expect(await status('/calls/stream', { method: 'HEAD' })).toBe(405)
    expect(await status('/calls/stream', { method: 'POST', headers })).toBe(405)
  })
})

describe('secrets', () => {
  const SECRETS = {
    plain: 'correct-horse-battery',
    header: 'Zk3-header-secret-value',
    query: 'q7y-in-the-address',
    flag: 'after-a-flag-9',
    joined: 'joined-to-a-flag-8',
    random: 'a8f5f167f44f4964e6c998dee827110c',
    database: 'p4ss-of-database',
  }

  it('are in no answer, wherever the configuration or a server put them', async () => {
    const leak = `console.error('cannot log in with ' + process.env.DB_PASSWORD + ' and ' + process.env.SEED); process.exit(1)`
    const gateway = await openDashboard({
      settings: { audit: { arguments: true }, builtins: { code: true } },
      servers: {
        leaky: {
          command: process.execPath,
          args: ['-e', leak, '--token', SECRETS.flag, `--api-key=${SECRETS.joined}`],
          env: { DB_PASSWORD: SECRETS.plain, SEED: SECRETS.random },
        },
        remote: {
          url: `http://user:${SECRETS.database}@127.0.0.1:9/mcp?key=${SECRETS.query}`,
          headers: { 'X-Custom': SECRETS.header },
        },
        talkative: {
          ...stdioUpstream('--name', `I am ${SECRETS.plain}`),
          env: { MY_TOKEN: SECRETS.plain },
        },
      },
    })
    const ada = await as(gateway, 'ada')
    for (const server of ['leaky', 'remote', 'talkative'])
      await execute(ada, server, 'rpc_error', { message: Object.values(SECRETS).join(' ') })
    await execute(ada, 'files', 'rpc_error', { message: `no ${Object.values(SECRETS).join(' ')}` })
    await call(ada, `talkative-${SECRETS.plain}`).catch(() => undefined)
    gateway.folder.write('.mcp-gateway-rules.json', { agents: { [SECRETS.plain]: 7 } })
    await gateway.ask('POST /config/reload')

    const live = await listenToCalls(gateway.url)
    const answers = await Promise.all([
      gateway.ask('GET /me'),
      gateway.ask('GET /overview'),
      gateway.ask('GET /costs', { query: { range: '24h' } }),
      gateway.ask('GET /audit/export', { query: { format: 'csv' } }),
      gateway.ask('GET /audit/export'),
      gateway.ask('GET /calls'),
      gateway.ask('GET /servers'),
      gateway.ask('GET /agents'),
      gateway.ask('GET /audit', { query: { limit: 500 } }),
      gateway.ask('GET /config'),
      gateway.ask('GET /policy'),
      gateway.ask('GET /code'),
      gateway.ask('GET /knowledge'),
      gateway.ask('GET /traces'),
      gateway.ask('POST /policy/check', { body: { agent: 'ada', server: 'talkative' } }),
      ...['leaky', 'remote', 'talkative', 'files'].map(async (server) =>
        gateway.ask('GET /servers/:server', { params: { server } }),
      ),
      ...['leaky', 'talkative'].map(async (server) =>
        gateway.ask('GET /agents/:agent/:server', { params: { agent: 'ada', server } }),
      ),
    ])
    const texts = [...answers.map(({ text }) => text), JSON.stringify(live.events)]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const found = Object.entries(SECRETS).flatMap(([name, secret]) =>
      texts.flatMap((text, index) => (text.includes(secret) ? [`${name} in answer ${index}`] : [])),
    )
    expect(found).toEqual([])
    expect(texts.join()).toContain('[redacted]')
  })
})
