import { appendFileSync, renameSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { call, execute } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

vi.setConfig({ testTimeout: 120_000 })

it('tells what was called and saved, from the audit and from the running gateway', async () => {
  const gateway = await openGateway({
    servers: { real: stdioUpstream() },
    rules: { agents: { ada: { allow: { servers: ['*'] }, deny: { tools: { real: ['crash'] } } } } },
    settings: { cache: { tools: { 'real.echo': { ttlMs: 60_000 } } } },
  })
  const headers = { 'x-agent-id': 'ada' }
  const client = await gateway.connect({ headers, query: 'surface=discover' })
  await client.request('tools/list', {})
  await client.request('tools/list', {})
  const rows = Array.from({ length: 300 }, (_, id) => ({ id, name: `row number ${id}` }))
  const long = {
    server: 'real',
    tool: 'echo',
    args: { text: JSON.stringify({ rows }) },
    max_tokens: 300,
  }
  await call(client, 'execute_tool', long)
  await execute(client, 'real', 'echo', { text: 'again' })
  await execute(client, 'real', 'echo', { text: 'again' })
  await execute(client, 'real', 'fail', {})
  await execute(client, 'real', 'crash', {})

  const running = await runBuilt(gateway.folder, ['stats', '--json', '--url', gateway.url])
  const { calls } = JSON.parse(running.stdout)
  expect(calls.decisions).toMatchObject({ DENY: 1 })
  expect(calls.tokens_saved).toBeGreaterThan(1000)
  await gateway.close()

  // Rotated files belong to the record, and a line that a crash cut does not spoil it.
  const audit = gateway.folder.file('data/audit.jsonl')
  renameSync(audit, `${audit}.1`)
  appendFileSync(audit, '{"timestamp":"2026-\n')
  const { code, stdout } = await runBuilt(gateway.folder, ['stats', '--json'])
  expect(code).toBe(0)
  const stats = JSON.parse(stdout)
  expect(stats.unreadable_lines).toBe(1)
  expect(stats.decisions).toEqual(calls.decisions)
  expect(stats.saved.budgets).toEqual({ tokens: calls.tokens_saved, results: 1 })
  expect(stats.saved.cache).toMatchObject({ hits: 1, misses: 2 })
  const { discovery } = stats.saved
  expect(discovery).toMatchObject({ lists: 2, not_counted: [] })
  expect(discovery.tokens).toBe(
    2 * (discovery.tokens_per_direct_list - discovery.tokens_per_list) - discovery.tokens_described,
  )
  expect(discovery.tokens).toBeGreaterThan(0)
  expect(stats.tools['real/fail']).toMatchObject({ calls: 1, errors: 1 })
  expect(stats.tools['real/echo']).toMatchObject({ calls: 3, errors: 0 })

  const text = await runBuilt(gateway.folder, ['stats'])
  expect(text.stdout).toMatch(/by discovery {2}[\d,]+ tokens +2 lists of/)
  const none = await runBuilt(gateway.folder, ['stats', '--until', '1h'])
  expect(none.stdout).toContain('No calls in this time')
  const explained = await runBuilt(gateway.folder, ['stats', '--explain'])
  expect(explained.stdout).toContain('Answers of find_tools and list_servers are not in the audit')
})

it('says what to do where there is no record, and where nobody answers', async () => {
  const folder = tempFolder()
  const none = await runBuilt(folder, ['stats'])
  expect(none.code).toBe(1)
  expect(none.stderr).toContain('portolan connect <client>')
  const dead = await runBuilt(folder, ['stats', '--url', 'http://127.0.0.1:9'])
  expect(dead.code).toBe(1)
  expect(dead.stderr).toContain('Is `portolan serve` running there?')
})
