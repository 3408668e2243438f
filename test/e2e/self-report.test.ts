import { readFile, rm, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { call, textOf, toolNames } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

async function ready(gateway: Pick<Opened, 'url'>) {
  const answer = await fetch(`${gateway.url}/ready`)
  const body: unknown = await answer.json()
  return { code: answer.status, body }
}

it('is ready once its built-ins are listed', async () => {
  const gateway = await openGateway({
    servers: { notes: stdioUpstream() },
    settings: { builtins: { traces: true } },
  })
  await expect.poll(async () => (await ready(gateway)).code, { timeout: 30_000 }).toBe(200)
  expect((await ready(gateway)).body).toMatchObject({
    checks: { builtins: { ok: true, required: true }, audit: { ok: true } },
  })
  const client = await gateway.connect()
  expect(await toolNames(client)).toContain('traces__search_traces')
})

it('says at once that audit entries are lost, and is degraded while they are', async () => {
  const broken = await openGateway({
    servers: { notes: stdioUpstream() },
    env: { GATEWAY_AUDIT_LOG: '/dev/full' },
  })
  expect((await ready(broken)).body).toMatchObject({ checks: { audit: { ok: true } } })
  const client = await broken.connect()
  await call(client, 'notes__echo', { text: 'hello' })
  await expect.poll(() => broken.log()).toContain('Audit entries are lost')
  expect(broken.log()).toContain('ENOSPC')
  expect(await ready(broken)).toMatchObject({
    code: 200,
    body: { status: 'degraded', checks: { audit: { ok: false, required: false } } },
  })
  const status = await (
    await broken.connect({ query: '' })
  ).request('tools/call', {
    name: 'get_gateway_status',
    arguments: {},
  })
  expect(textOf(status)).toContain('Audit entries are lost')
  expect(await (await fetch(`${broken.url}/metrics`)).text()).toMatch(/audit\w*dropped\w* [1-9]/)
})

it('is not ready with a damaged database, and is with a good one', async () => {
  const wanted = {
    servers: { notes: stdioUpstream() },
    settings: { builtins: { traces: true } },
  }
  const first = await openGateway(wanted)
  await expect.poll(async () => (await ready(first)).code, { timeout: 30_000 }).toBe(200)
  await first.close()
  const file = first.folder.file('data/portolan.db')
  const good = await readFile(file)
  await writeFile(file, Buffer.concat([Buffer.alloc(200, 'x'), good.subarray(200)]))
  // From its log a damaged file would be repaired.
  for (const log of ['-wal', '-shm']) await rm(`${file}${log}`, { force: true })
  const second = await openGateway({ ...wanted, folder: first.folder })
  expect(await ready(second)).toMatchObject({
    code: 503,
    body: { status: 'unready', checks: { builtins: { ok: false, required: true } } },
  })
})

it('says in one line what a reload changed, in the log and to whoever watches the dashboard', async () => {
  const rule = { allow: { servers: ['*'] } }
  const gateway = await openGateway({
    servers: { notes: stdioUpstream(), old: stdioUpstream() },
    rules: { agents: { x: rule, y: rule } },
  })
  const stream = await fetch(`${gateway.url}/api/dashboard/calls/stream`)
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  gateway.folder.write('.mcp-gateway-rules.json', {
    agents: { x: { allow: { servers: ['notes'] } }, z: { allow: { servers: ['ghost'] } } },
  })
  await expect
    .poll(() => gateway.log())
    .toMatch(/configuration reloaded: rules of agent "x" changed; .*"y" removed; .*"ghost"/)
  gateway.folder.write('.mcp.json', {
    mcpServers: { notes: { ...stdioUpstream(), env: { A: 'b' } }, fresh: stdioUpstream() },
  })
  await expect
    .poll(() => gateway.log())
    .toContain('server "notes" changed; server "old" removed; server "fresh" added')
  let seen = ''
  while (!seen.includes('fresh')) {
    const { value, done } = (await reader?.read()) ?? { value: '', done: true }
    seen += value
    if (done) break
  }
  expect(seen).toContain('event: reload')
  expect(seen).toContain('rules of agent')
  await reader?.cancel()
})
