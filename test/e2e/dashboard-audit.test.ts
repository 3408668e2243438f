import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CallEvent } from '../../src/gateway/call.ts'
import { toAuditEntry } from '../../src/telemetry/audit/audit-entry.ts'
import { call, execute, textOf } from '../support/clients/talk.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { type Gateway, as, openDashboard } from '../support/dashboard/open-dashboard.ts'
import { runCli } from '../support/run-cli.ts'
import { sharedHome } from '../support/shared-home.ts'
import { stdioUpstream } from '../support/start.ts'

const DAY_MS = 86_400_000

/** Writes calls into the record, as other processes do. */
function write({ folder }: Pick<Gateway, 'folder'>, calls: readonly Partial<CallEvent>[]): void {
  const lines = calls.map((more, n) =>
    toAuditEntry({
      id: `w${n}`,
      startedAt: Date.now() - 60_000,
      operation: 'tools/call',
      agent: 'ada',
      ...(more.operation === undefined && { server: 'notes', tool: 'echo' }),
      decision: 'ALLOW',
      outcome: 'ok',
      durationMs: 1,
      ...more,
    }),
  )
  appendFileSync(folder.file('data/audit.jsonl'), lines.join(''))
}

async function found(ask: Gateway['ask'], text: string) {
  return (await ask('GET /audit', { query: { text } })).value.calls.map(({ tool }) => tool)
}

function money(rows: readonly { readonly name: string; readonly money: number }[]) {
  return Object.fromEntries(rows.map((row) => [row.name, row.money]))
}

describe('the export of the audit', () => {
  it('has every entry that the filters of the page match, and no other', async () => {
    const gateway = await openDashboard()
    write(gateway, [
      ...Array.from({ length: 2_500 }, (_, n) => ({ id: `many-${n}`, agent: 'busy' })),
      { id: 'odd', agent: 'other', tool: '=HYPERLINK("x")', error: 'a "quoted", long\nline' },
    ])
    const busy = await gateway.ask('GET /audit/export', { query: { agent: 'busy' } })
    expect(busy.headers.get('content-type')).toBe('application/x-ndjson')
    expect(busy.headers.get('content-disposition')).toContain('portolan-audit.jsonl')
    const lines = busy.text.trimEnd().split('\n')
    expect(lines).toHaveLength(2_500)
    expect(new Set(lines.map((line) => JSON.parse(line).metadata.call_id)).size).toBe(2_500)

    const csv = await gateway.ask('GET /audit/export', { query: { agent: 'other', format: 'csv' } })
    const [head = '', ...rows] = csv.text.split('\r\n')
    expect(head).toMatch(/^at,agent,user,client,folder,operation,server,tool,decision,/)
    // A spreadsheet must not run a name that an agent chose.
    expect(rows.join('\n')).toContain(`"'=HYPERLINK(""x"")"`)
    expect(rows.join('\n')).toContain('"a ""quoted"", long\nline"')

    const { value } = await gateway.ask('GET /audit', { query: { operation: 'dashboard' } })
    expect(value.calls.map(({ tool, arguments: args }) => [tool, args])).toContainEqual([
      'audit.export',
      expect.stringContaining('"agent":"other"'),
    ])
    const wrong = await fetch(`${gateway.url}/api/dashboard/audit/export?format=xml`)
    expect(wrong.status).toBe(400)
  })

  it('is not for whoever may not see the dashboard', async () => {
    const gateway = await openDashboard({ settings: { auth: { required: true } } })
    expect((await fetch(`${gateway.url}/api/dashboard/audit/export`)).status).toBe(401)
  })
})

it('searches what was kept of arguments and results, for admins alone, and no secret of it', async () => {
  const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
  const gateway = await openDashboard()
  await gateway.ask('POST /capture', { body: { on: true } })
  const ada = await as(gateway, 'ada')
  await execute(ada, 'notes', 'echo', { text: `needle ${token}` })
  expect(await found(gateway.ownerAsks, 'NEEDLE')).toEqual(['echo'])
  expect(await found(gateway.ask, 'NEEDLE')).toEqual([])
  expect(await found(gateway.ownerAsks, token)).toEqual([])
})

it('shows a call of the past with its script, what that called, and its approval', async () => {
  const gateway = await openDashboard()
  const startedAt = Date.now() - 10 * DAY_MS
  write(gateway, [
    { id: 'inner', parent: 'outer', startedAt: startedAt + 10 },
    { id: 'elsewhere', parent: 'another', startedAt: startedAt + 20 },
    {
      id: 'outer',
      operation: 'run_script',
      startedAt,
      durationMs: 100,
    },
    { id: 'asked', approval: 'ap-1', startedAt: startedAt + 5_000 },
    {
      id: 'question',
      operation: 'approvals',
      tool: 'approvals.answered',
      startedAt: startedAt + 4_000,
      arguments: { approval: 'ap-1', by: 'olga', server: 'notes', tool: 'echo' },
    },
  ])
  const detail = async (id: string, at: number) =>
    (
      await gateway.ask('GET /call/:id', {
        params: { id },
        query: { at: new Date(at).toISOString() },
      })
    ).value
  const outer = await detail('outer', startedAt + 100)
  expect(outer.call).toMatchObject({ operation: 'run_script' })
  expect(outer.calls.map(({ id }) => id)).toEqual(['inner'])
  const inner = await detail('inner', startedAt + 11)
  expect(inner.script).toMatchObject({ id: 'outer' })
  const asked = await detail('asked', startedAt + 5_001)
  expect(asked.approvals.map(({ id, tool }) => [id, tool])).toEqual([
    ['question', 'approvals.answered'],
  ])
})

describe('costs', () => {
  it('are those of the prices, for agents, servers, tools and days', async () => {
    const gateway = await openDashboard({
      settings: {
        prices: { currency: 'EUR', tokens: { '*': 2, ada: 4 }, calls: { 'notes.echo': 0.5 } },
      },
    })
    const tokens = { tokenCount: 500_000 }
    write(gateway, [
      tokens,
      { ...tokens, agent: 'bob' },
      { ...tokens, startedAt: Date.now() - 3 * DAY_MS },
    ])
    const { value } = await gateway.ask('GET /costs')
    expect(value).toMatchObject({ currency: 'EUR', isPriced: true, unused: null })
    expect(money(value.usage.agents)).toEqual({ ada: 5, bob: 1.5 })
    expect(money(value.usage.servers)).toEqual({ notes: 6.5 })
    expect(money(value.usage.tools)).toEqual({ 'notes/echo': 6.5 })
    expect(value.usage.points.map((point) => point.money).filter((each) => each > 0)).toEqual([
      2.5, 4,
    ])
  })

  it('name servers that nobody used for 30 days, which an admin removes and takes back', async () => {
    const gateway = await openDashboard({ servers: { idle: stdioUpstream() } })
    const before = gateway.folder.read('.mcp.json')
    write(gateway, [{ startedAt: Date.now() - 40 * DAY_MS }, {}, { server: 'files' }])
    const unused = async () => (await gateway.ask('GET /costs')).value.unused
    const path = gateway.folder.file('.mcp.json')
    expect(await unused()).toEqual([{ name: 'idle', file: path }])
    const params = { server: 'idle' }
    const refused = await fetch(`${gateway.url}/api/dashboard/servers/idle/remove`, {
      method: 'POST',
      headers: { 'x-portolan-dashboard': '1' },
    })
    expect(refused.status).toBe(403)
    const { value } = await gateway.ask('POST /servers/:server/remove', { params })
    expect(value).toMatchObject({ file: path, version: expect.any(Number) })
    expect(gateway.folder.read('.mcp.json')).not.toContain('idle')
    await expect
      .poll(async () => (await gateway.ask('GET /servers')).value.servers.map(({ name }) => name))
      .not.toContain('idle')
    const history = await runCli(gateway.folder, ['history'])
    expect(history.stdout).toContain('server remove idle')
    expect(
      (await runCli(gateway.folder, ['rollback', String((value.version ?? 0) - 1)])).code,
    ).toBe(0)
    expect(gateway.folder.read('.mcp.json')).toBe(before)
    const { value: audit } = await gateway.ask('GET /audit', { query: { text: 'servers.remove' } })
    expect(audit.calls[0]).toMatchObject({ operation: 'dashboard', tool: 'servers.remove' })
  })

  it('do not call a server unused that was added meanwhile', async () => {
    const gateway = await openDashboard()
    write(gateway, [{ startedAt: Date.now() - 40 * DAY_MS }, {}, { server: 'files' }])
    expect(
      (
        await runCli(gateway.folder, [
          'server',
          'add',
          'young',
          '--project',
          '--no-test',
          '--',
          'x',
        ])
      ).code,
    ).toBe(0)
    await expect
      .poll(async () => (await gateway.ask('GET /servers')).value.servers.map(({ name }) => name))
      .toContain('young')
    expect((await gateway.ask('GET /costs')).value.unused).toEqual([])
  })
})

it('names the gateways that run alone on this machine, and counts their calls', async () => {
  const home = sharedHome({ one: stdioUpstream() })
  const printed = await home.run('dashboard', '--no-browser')
  const ask = dashboardOf(new URL(printed.stdout.trim()).origin)
  const alone = await home.open({ name: 'hermit', env: { PORTOLAN_ALONE: '1' } })
  expect(textOf(await call(alone, 'echo', { text: 'hello' }))).toBe('hello')
  const overview = async () => (await ask('GET /overview', { query: { range: '1h' } })).value
  expect((await overview()).alone).toMatchObject([
    { folder: expect.any(String), reason: expect.stringContaining('PORTOLAN_ALONE is set') },
  ])
  await expect
    .poll(async () => (await overview()).usage.agents.map(({ name }) => name))
    .toContain('hermit')
})
