import { appendFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import type { AuditPage, Call } from '../../src/dashboard/contract/calls.ts'
import { toAuditEntry } from '../../src/telemetry/audit/audit-entry.ts'
import { execute } from '../support/clients/talk.ts'
import { listenToCalls } from '../support/dashboard/listen-to-calls.ts'
import { RULES, as, openDashboard, sharedDashboard } from '../support/dashboard/open-dashboard.ts'
import { stdioUpstream } from '../support/start.ts'

function total(column: readonly number[]): number {
  return column.reduce((all, n) => all + n, 0)
}

describe('the dashboard', () => {
  const running = sharedDashboard()

  it('shows what was called: totals, latency, cache, series, busiest and what discovery saved', async () => {
    const gateway = await openDashboard()
    const ada = await as(gateway, 'ada')
    await ada.request('tools/list')
    for (let n = 0; n < 6; n++) await execute(ada, 'files', 'echo', { text: `x${n % 2}` })
    await execute(ada, 'files', 'crash')
    await execute(ada, 'notes', 'fail')
    await execute(await as(gateway, 'bob'), 'files', 'echo')
    const { value } = await gateway.ask('GET /overview', { query: { range: '1h' } })
    const { usage } = value
    expect(usage.all).toMatchObject({ calls: 10, denied: 2, failed: 1, hits: 4, misses: 2 })
    expect(value.perSecond).toBeGreaterThan(0)
    expect(usage.latency?.p99).toBeGreaterThanOrEqual(usage.latency?.p50 ?? Infinity)
    expect(usage.servers[0]).toMatchObject({ name: 'files', hits: 4, misses: 2 })
    expect(value.servers).toEqual({ total: 2, byState: { ready: 2 } })
    expect(usage.tools[0]).toMatchObject({ name: 'files/echo', calls: 6 })
    expect(usage.tools[0]?.tokens).toBeGreaterThan(0)
    expect(value.audit.dropped).toBe(0)

    const { value: agents } = await gateway.ask('GET /agents')
    const row = agents.agents.find(({ id }) => id === 'ada')
    expect(value.tokens.listings).toBe(1)
    expect(value.tokens.discovery).toBe((row?.allTokens ?? 0) - (row?.shownTokens ?? 0))
    expect(value.tokens.discovery).toBeGreaterThan(1000)

    expect([usage.points.length, usage.stepMs]).toEqual([60, 60_000])
    expect(total(usage.points.map(({ calls }) => calls))).toBe(10)
    expect(total(usage.points.map(({ hits }) => hits))).toBe(4)
    expect(total(value.tokens.discoveryPoints)).toBe(value.tokens.discovery)
    expect(usage.points.some(({ latency }) => (latency?.p95 ?? 0) > 0)).toBe(true)
    const month = await gateway.ask('GET /overview', { query: { range: '30d' } })
    expect(month.value.usage).toMatchObject({ all: { calls: 10 }, stepMs: 86_400_000 })
  })

  it('shows after a restart what was called before, also in other folders and processes', async () => {
    const gateway = await openDashboard()
    await execute(await as(gateway, 'ada'), 'files', 'echo', { text: 'before' })
    await gateway.close()
    const written = toAuditEntry({
      id: 'elsewhere',
      startedAt: Date.now() - 3_600_000,
      operation: 'tools/call',
      agent: 'zoe',
      folder: '/another/folder',
      server: 'notes',
      tool: 'echo',
      decision: 'ALLOW',
      outcome: 'ok',
      durationMs: 4,
    })
    appendFileSync(gateway.folder.file('data/audit.jsonl'), written)
    const { ask, url } = await openDashboard({ folder: gateway.folder })
    const { value } = await ask('GET /overview', { query: { range: '24h' } })
    expect(value.usage.all.calls).toBeGreaterThanOrEqual(2)
    expect(value.usage.agents.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ada', 'zoe']),
    )
    const { value: agents } = await ask('GET /agents')
    expect(agents.agents.find(({ id }) => id === 'zoe')).toMatchObject({
      source: 'seen',
      calls: { calls: 1 },
    })
    const { value: servers } = await ask('GET /servers')
    expect(servers.servers.find(({ name }) => name === 'notes')?.calls).toMatchObject({ calls: 1 })
    const live = await listenToCalls(url)
    expect(live.calls().map(({ id }) => id)).toContain('elsewhere')
  })

  it('tells of calls as they happen, and after a break of those that were missed', async () => {
    const gateway = running()
    const ada = await as(gateway, 'ada')
    await execute(ada, 'files', 'echo', { text: 'before' })
    const first = await listenToCalls(gateway.url)
    expect(first.calls()).toMatchObject([{ server: 'files', tool: 'echo', agent: 'ada' }])
    const begun = performance.now()
    await execute(ada, 'notes', 'echo', { text: 'now' })
    await vi.waitFor(() => expect(first.calls()).toHaveLength(2), { timeout: 10_000, interval: 10 })
    expect(performance.now() - begun).toBeLessThan(10_000)
    const last = first.events.at(-1)
    expect(last?.id).toBe(last?.data.calls[0]?.id)
    first.close()
    await execute(ada, 'notes', 'fail')
    const again = await listenToCalls(gateway.url, { 'last-event-id': String(last?.id) })
    expect(again.calls()).toMatchObject([{ tool: 'fail', outcome: 'tool_error' }])
    expect((await gateway.ask('GET /calls', { query: { limit: 2 } })).value.calls).toMatchObject([
      { tool: 'fail' },
      { tool: 'echo', server: 'notes' },
    ])
  })

  it('shows servers with state, restarts, last error, and what each tool costs', async () => {
    const gateway = await openDashboard({
      servers: { broken: stdioUpstream('--die-on-start'), off: { command: 'x', enabled: false } },
    })
    const ada = await as(gateway, 'ada')
    await execute(ada, 'notes', 'crash').catch(() => undefined)
    await execute(ada, 'files', 'echo')
    await execute(ada, 'broken', 'echo').catch(() => undefined)
    const shown = async () => {
      const { value } = await gateway.ask('GET /servers')
      const byName = Object.fromEntries(value.servers.map((server) => [server.name, server]))
      expect(byName['files']).toMatchObject({ kind: 'stdio', state: 'ready', breaker: 'closed' })
      expect(byName['files']?.calls).toMatchObject({ calls: 1, failed: 0 })
      expect(byName['notes']).toMatchObject({
        description: 'Notes',
        restarts: 1,
        lastError: { text: expect.any(String) },
      })
      expect(byName['broken']).toMatchObject({ state: 'down', error: expect.any(String) })
      expect(byName['off']).toMatchObject({ state: 'disabled', toolCount: 0 })
    }
    await vi.waitFor(shown, { timeout: 20_000 })
    const { value: files } = await gateway.ask('GET /servers/:server', {
      params: { server: 'files' },
    })
    expect(files.tools.find(({ name }) => name === 'echo')).toMatchObject({
      description: 'Gives back its text',
      effect: 'read',
      signature: expect.stringContaining('echo('),
      tokens: expect.any(Number),
      calls: { calls: 1 },
    })
    const tokens = files.tools.reduce((sum, tool) => sum + tool.tokens, 0)
    expect(tokens).toBe(files.toolTokens)
    const missing = await gateway.ask('GET /servers/:server', { params: { server: 'none' } })
    expect(missing).toMatchObject({ status: 404, failure: { code: 'SERVER_NOT_FOUND' } })
    const { value } = await gateway.ask('GET /overview')
    expect(value.notes.map(({ text }) => text).join()).toMatch(/"broken" is (?:down|being started)/)
  })

  it('says of every agent what it may do and why, as the gateway itself decides', async () => {
    const gateway = running()
    await execute(await as(gateway, 'eve'), 'files', 'echo').catch(() => undefined)
    const { value } = await gateway.ask('GET /agents')
    expect(value.servers).toEqual(['files', 'notes'])
    const cells = (id: string) => value.agents.find((agent) => agent.id === id)?.cells
    expect(cells('bob')).toMatchObject([
      { server: 'files', effect: 'deny', reason: 'server_not_allowed', toolsAllowed: 0 },
      { server: 'notes', effect: 'allow', rule: 'agents.bob.allow.servers[0]', toolsAllowed: 1 },
    ])
    expect(cells('*')?.[0]).toMatchObject({ effect: 'deny', reason: 'unknown_agent' })
    expect(value.agents.find(({ id }) => id === 'eve')?.source).toBe('seen')
    const { value: tools } = await gateway.ask('GET /agents/:agent/:server', {
      params: { agent: 'ada', server: 'files' },
    })
    expect(tools.tools.find(({ name }) => name === 'crash')).toMatchObject({
      effect: 'deny',
      rule: 'agents.ada.deny.tools.files[0]',
    })
  })

  it('answers what if, by the rules in force and by edited ones, without applying them', async () => {
    const gateway = running()
    const question = { agent: 'bob', server: 'notes', tool: 'fail' }
    const check = async (rules?: unknown) =>
      (
        await gateway.ask('POST /policy/check', {
          body: { ...question, ...(rules ? { rules } : {}) },
        })
      ).value
    expect(await check()).toMatchObject({
      valid: true,
      current: null,
      verdict: { effect: 'deny', reason: 'tool_not_allowed' },
    })
    const { value: policy } = await gateway.ask('GET /policy')
    expect(policy.rules).toMatchObject(RULES)
    const edited = await check({ agents: { bob: { allow: { servers: ['notes', 'ghost'] } } } })
    expect(edited).toMatchObject({
      verdict: { effect: 'allow', rule: 'agents.bob.allow.servers[0]' },
      current: { effect: 'deny' },
      warnings: [expect.stringContaining('ghost')],
    })
    expect(edited.servers.find(({ server }) => server === 'files')).toMatchObject({
      effect: 'deny',
    })
    expect(await check({ agents: { bob: { alow: {} } } })).toMatchObject({
      valid: false,
      verdict: null,
      problems: [{ path: 'agents.bob.alow', hint: expect.stringContaining('allow') }],
    })
    expect((await check()).verdict?.effect).toBe('deny')
    const typo = await gateway.ask('POST /policy/check', { body: { agent: 'bbo', server: 'note' } })
    expect(typo.value.notes.join()).toMatch(/Did you mean 'bob'.*Did you mean 'notes'/)
  })

  it('decides an unchanged copy of the rules as the rules in force, also for groups and clients', async () => {
    const gateway = await openDashboard({
      rules: {
        agents: { default: { allow: { servers: ['notes'] } } },
        groups: { staff: { match: { agent: 'staff-*' }, allow: { servers: ['files'] } } },
        defaults: { deny_on_missing_agent: false },
      },
    })
    await execute(await gateway.connect(), 'notes', 'echo')
    const { value: agents } = await gateway.ask('GET /agents')
    const client = agents.agents.find(({ source }) => source === 'seen')?.id ?? ''
    const { value: policy } = await gateway.ask('GET /policy')
    for (const [agent, server, rule] of [
      ['staff-7', 'files', 'groups.staff.allow.servers[0]'],
      [client, 'notes', 'agents.default.allow.servers[0]'],
    ] as const)
      for (const rules of [undefined, policy.rules])
        expect(
          (await gateway.ask('POST /policy/check', { body: { agent, server, rules } })).value,
        ).toMatchObject({ verdict: { effect: 'allow', rule } })
  })

  it('finds in ten thousand audit entries, page by page', async () => {
    const gateway = running()
    await execute(await as(gateway, 'ada'), 'files', 'echo')
    const { value: newest } = await gateway.ask('GET /audit')
    expect(newest.calls[0]).toMatchObject({ agent: 'ada', tool: 'echo', decision: 'ALLOW' })
    const old = Array.from({ length: 10_000 }, (_, n) =>
      toAuditEntry({
        id: `old-${n}`,
        startedAt: Date.parse('2026-01-01T00:00:00Z') + n * 1_000,
        operation: 'tools/call',
        agent: `agent-${n % 7}`,
        server: 'past',
        decision: n % 50 === 0 ? 'DENY' : 'ALLOW',
      }),
    )
    appendFileSync(gateway.folder.file('data/audit.jsonl'), old.join(''))
    const found: Call[] = []
    let cursor: string | null | undefined
    let slowest = 0
    do {
      const query = { server: 'past', decision: 'DENY', limit: 60 } as const
      const { value }: { value: AuditPage } = await gateway.ask('GET /audit', {
        query: { ...query, ...(cursor && { cursor }) },
      })
      found.push(...value.calls)
      slowest = Math.max(slowest, value.tookMs)
      cursor = value.next
    } while (cursor)
    expect(found.map(({ id }) => id)).toEqual(
      Array.from({ length: 200 }, (_, n) => `old-${9_950 - n * 50}`),
    )
    expect(slowest).toBeLessThan(1_500)
    const bad = await gateway.ask('GET /audit', { query: { since: 'yesterday-ish' } })
    expect(bad).toMatchObject({ status: 400, failure: { code: 'INVALID_PARAMS' } })
  })

  it('says how to turn on what is not configured', async () => {
    const { ask } = running()
    for (const key of ['GET /code', 'GET /knowledge', 'GET /traces'] as const)
      expect((await ask(key)).value).toMatchObject({
        available: false,
        reason: 'not_configured',
        hint: expect.stringContaining('portolan.yaml'),
      })
  })

  it('shows the configuration with its history of reloads, and reads it again when told to', async () => {
    const gateway = await openDashboard({ settings: { breaker: { failures: 7 } } })
    const { value: before } = await gateway.ask('GET /config')
    expect(before.files.map(({ path }) => path?.split('/').at(-1))).toEqual([
      '.mcp.json',
      '.mcp-gateway-rules.json',
      'portolan.yaml',
    ])
    const setting = (path: string) => before.settings.find((one) => one.path === path)
    expect(setting('breaker.failures')).toMatchObject({ value: 7, isDefault: false })
    expect(setting('deadlines.callMs')).toMatchObject({
      isDefault: true,
      description: expect.stringContaining('one call'),
    })
    gateway.folder.write('.mcp-gateway-rules.json', { agents: { ada: {} } })
    const { value } = await gateway.ask('POST /config/reload')
    expect(['applied', 'unchanged']).toContain(value.reload.outcome)
    gateway.folder.write('.mcp-gateway-rules.json', '{ oops')
    await gateway.ask('POST /config/reload')
    const { value: after } = await gateway.ask('GET /config')
    expect(after.history.flatMap(({ changes }) => changes)).toContain(
      'rules of agent "bob" removed',
    )
    expect(after.history[0]).toMatchObject({ outcome: 'refused' })
    expect(after.files[1]?.lastError).toContain('.mcp-gateway-rules.json')
  })
})
