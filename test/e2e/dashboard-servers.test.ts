import { expect, it } from 'vitest'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { localPass } from '../support/dashboard/local-pass.ts'
import { openDashboard } from '../support/dashboard/open-dashboard.ts'
import { startGateway } from '../support/gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { stdioUpstream } from '../support/start.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const UNNAMED = { GATEWAY_MCP_CONFIG: '', GATEWAY_RULES: '', PORTOLAN_CONFIG: '' }

async function asOwner(folder: TempFolder) {
  const { url } = await startGateway(folder, [], UNNAMED)
  return dashboardOf(url, { authorization: `Bearer ${localPass(folder.file('data'), url)}` })
}

it('refuses to change a file that nobody has trusted, and offers it for no new server', async () => {
  const folder = tempFolder()
  const entry = { one: stdioUpstream() }
  folder.write('.mcp.json', { mcpServers: entry })
  await runCli(folder, ['trust'], UNNAMED)
  const ask = await asOwner(folder)
  const params = { server: 'one' }
  const { value } = await ask('GET /servers/:server/entry', { params })
  expect(value.file).toBe(folder.file('.mcp.json'))

  folder.write('.mcp.json', { mcpServers: { ...entry, other: stdioUpstream('--name', 'other') } })
  const plan = async () => ask('POST /servers/plan', { body: { text: 'node x.js', name: 'x' } })
  await expect
    .poll(async () => (await plan()).value.files, { timeout: 20_000 })
    .toEqual([folder.file('data/mcp.json')])
  const refused = await ask('POST /servers/:server/duplicate', { params, body: { name: 'two' } })
  expect(refused).toMatchObject({ status: 409, failure: { code: 'NOT_TRUSTED' } })
  expect(folder.read('.mcp.json')).not.toContain('two')
})

it('copies an entry with its secrets, which no answer contains', async () => {
  const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
  const gateway = await openDashboard({
    servers: { shop: { ...stdioUpstream(), env: { SHOP_TOKEN: token } } },
  })
  const params = { server: 'shop' }
  const copied = await gateway.ask('POST /servers/:server/duplicate', {
    params,
    body: { name: 'shop-2' },
  })
  expect(copied.status).toBe(200)
  expect(copied.text).not.toContain(token)
  const entries = JSON.parse(gateway.folder.read('.mcp.json')).mcpServers
  expect(entries['shop-2']).toEqual(entries['shop'])
  const again = await gateway.ask('POST /servers/:server/duplicate', {
    params,
    body: { name: 'notes' },
  })
  expect(again).toMatchObject({ status: 409, failure: { code: 'NAME_TAKEN' } })
  const { value, text } = await gateway.ask('GET /servers/:server/entry', { params })
  expect(text).not.toContain(token)
  expect(JSON.parse(value.entry)).toMatchObject({ env: { SHOP_TOKEN: '[redacted]' } })
})

it('adds only what was shown', async () => {
  const gateway = await openDashboard()
  const body = { text: 'node', name: 'x' }
  const { value } = await gateway.ask('POST /servers/plan', { body })
  const add = async (more: object) =>
    gateway.ask('POST /servers/add', {
      body: { ...body, digest: value.digest, values: {}, test: false, ...more },
    })
  expect(await add({ text: 'node other.js' })).toMatchObject({ status: 409 })
  expect(await add({ file: gateway.folder.file('elsewhere.json') })).toMatchObject({ status: 409 })
  expect((await add({})).value.added).toBe(true)
  expect(await add({})).toMatchObject({ status: 400 })
})

it('changes nothing of a server for a viewer', async () => {
  const gateway = await openDashboard({ settings: { auth: { required: true } } })
  const made = await runCli(gateway.folder, ['keys', 'create', 'vera', '--role', 'viewer'])
  const [key = ''] = /ptk_\S+/.exec(made.stdout + made.stderr) ?? []
  const vera = dashboardOf(gateway.url, { authorization: `Bearer ${key}` })
  const params = { server: 'notes', tool: 'echo' }
  expect((await vera('GET /servers/:server/entry', { params })).status).toBe(200)
  const before = gateway.folder.read('.mcp.json')
  const words = { name: 'x', description: null, hidden: null }
  const refused = [
    await vera('POST /servers/plan', { body: { text: 'node', name: 'x' } }),
    await vera('POST /servers/:server/entry', { params, body: { entry: '{}', digest: 'x' } }),
    await vera('POST /servers/:server/duplicate', { params, body: { name: 'x' } }),
    await vera('POST /servers/:server/tools/:tool', { params, body: words }),
    await vera('POST /run', { body: { server: 'notes', tool: 'echo', arguments: '{}' } }),
  ]
  expect(refused.map(({ status, failure }) => [status, failure.code])).toEqual(
    refused.map(() => [403, 'ROLE_REQUIRED']),
  )
  expect(gateway.folder.read('.mcp.json')).toBe(before)
})
