import { execFile } from 'node:child_process'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, execute, valueOf } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv, startGateway } from '../support/gateway.ts'
import { type TestServer, createDatabase, startPostgres } from '../support/postgres.ts'
import { stdioUpstream } from '../support/start.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

let postgres: TestServer
beforeAll(async () => {
  postgres = await startPostgres({ own: true })
})
afterAll(async () => postgres.stop())

const OPEN = { agents: { ada: { allow: { servers: ['*'] } } } }
const CLOSED = {
  agents: { ada: { allow: { servers: ['*'] }, deny: { tools: { one: ['echo'] } } } },
}

/** Someone with files and a database, at a prompt. */
async function aTeam() {
  const env = { PORTOLAN_DATABASE_URL: await createDatabase(postgres.url) }
  const desk = tempFolder()
  desk.write('.mcp.json', { mcpServers: { one: stdioUpstream() } })
  desk.write('.mcp-gateway-rules.json', OPEN)
  const config = async (...args: string[]) => cli(desk, ['config', ...args], env)
  return { env, desk, config }
}

async function cli(folder: TempFolder, args: readonly string[], env: Record<string, string>) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args],
      { cwd: folder.path, env: gatewayEnv(folder, env) },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

/** A gateway in an empty folder, which has its configuration from the database alone. */
async function replica(env: Record<string, string>, agent = 'ada') {
  const gateway = await startGateway(tempFolder(), [], {
    ...env,
    PORTOLAN_CONFIG_SOURCE: 'database',
    PORTOLAN_DATABASE_POOL_SIZE: '3',
  })
  return connect(gateway.url, agent)
}

async function connect(url: string, agent: string): Promise<RawClient> {
  const client = await openHttp('legacy', `${url}/mcp`, { 'x-agent-id': agent })
  onTestFinished(async () => client.close().catch(() => undefined))
  return client
}

async function statusOf(client: RawClient): Promise<JsonObject> {
  return valueOf(await call(client, 'get_gateway_status'))
}

async function versionOf(client: RawClient): Promise<unknown> {
  return (await statusOf(client))['config_version']
}

async function msUntil(holds: () => Promise<boolean>): Promise<number> {
  const begun = performance.now()
  while (!(await holds())) {
    if (performance.now() - begun > 15_000) throw new Error('it never came')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return performance.now() - begun
}

async function mayEcho(client: RawClient): Promise<boolean> {
  return (await execute(client, 'one', 'echo', { text: 'hi' }))['isError'] !== true
}

it(
  'reaches every replica soon after the push, and goes back the same way',
  { timeout: 120_000 },
  async () => {
    const { env, desk, config } = await aTeam()
    expect((await config('push', '-m', 'first')).stderr).toContain('Version 1 is in use')
    const replicas = await Promise.all([replica(env), replica(env)])
    for (const client of replicas) expect(await mayEcho(client)).toBe(true)

    desk.write('.mcp-gateway-rules.json', CLOSED)
    const diff = await config('diff')
    expect(diff.code).toBe(1)
    expect(diff.stdout).toContain('=== .mcp-gateway-rules.json')
    const pushed = await config('push', '-m', 'no echo', '--author', 'grace')
    expect(pushed.stderr).toContain('Version 2 is in use')
    // The process that pushed has ended by now, so less than this has passed since the commit.
    const ms = await msUntil(async () => {
      const seen = await Promise.all(replicas.map(versionOf))
      return seen.every((version) => JSON.stringify(version) === '{"in_use":2,"latest":2}')
    })
    expect(ms).toBeLessThan(10_000)
    for (const client of replicas) expect(await mayEcho(client)).toBe(false)

    expect((await config('rollback', '1')).stderr).toContain('Version 3 is in use')
    await msUntil(async () => (await Promise.all(replicas.map(mayEcho))).every(Boolean))

    const source = { ...env, PORTOLAN_CONFIG_SOURCE: 'database' }
    const explained = await cli(tempFolder(), ['explain', 'bob', 'one', 'echo'], source)
    expect(explained.stderr).toContain('"bob" is not in database:.mcp-gateway-rules.json')

    const history: unknown = JSON.parse((await config('history', '--json')).stdout)
    expect(history).toMatchObject([
      { version: 3, message: 'back to version 1' },
      { version: 2, message: 'no echo', author: 'grace', created_at: expect.any(String) },
      { version: 1, message: 'first' },
    ])
    const elsewhere = tempFolder()
    await config('pull', '2', '--to', elsewhere.path)
    expect(JSON.parse(elsewhere.read('.mcp-gateway-rules.json'))).toEqual(CLOSED)
  },
)

it('refuses at the prompt what no replica could use, and to start with nothing', async () => {
  const { env, desk, config } = await aTeam()
  const early = await cli(tempFolder(), ['serve', '--port', '0'], {
    ...env,
    PORTOLAN_CONFIG_SOURCE: 'database',
  })
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('portolan config push') })
  desk.write('.mcp-gateway-rules.json', { agents: { ada: { alow: {} } } })
  const misspelt = await config('push')
  expect(misspelt.code).toBe(1)
  expect(misspelt.stderr).toContain('database:.mcp-gateway-rules.json: agents.ada.alow')
  expect((await config('history')).stdout).toBe('')
})

it('keeps variables as they stand, for each replica to fill in', async () => {
  const { env, desk, config } = await aTeam()
  const description = 'of ${PLACE}'
  desk.write('.mcp.json', { mcpServers: { one: { ...stdioUpstream(), description } } })
  expect((await config('push')).code).toBe(0)
  expect((await config('show')).stdout).toContain(description)
  const client = await replica({ ...env, PLACE: 'Genoa' })
  const { list } = valueOf(await call(client, 'list_servers'))
  expect(JSON.stringify(list)).toContain('of Genoa')
})

it('goes on while the database is gone, and hears of what was pushed once it is back', async () => {
  const { env, desk, config } = await aTeam()
  await config('push')
  const client = await replica(env)
  await postgres.halt()
  await msUntil(async () => JSON.stringify((await statusOf(client))['database']).includes('down'))
  expect(await mayEcho(client)).toBe(true)
  const refused = await config('push')
  expect(refused.stderr).toMatch(/database of PORTOLAN_DATABASE_URL did not answer/)
  await postgres.resume()
  desk.write('.mcp-gateway-rules.json', CLOSED)
  expect((await config('push')).code).toBe(0)
  await msUntil(async () => !(await mayEcho(client)))
  // The database's own check comes round on its own clock, after or before the version was heard of.
  await msUntil(async () => JSON.stringify((await statusOf(client))['database']).includes('"ok"'))
})

it('keeps the version in use when this replica cannot read the next one', async () => {
  const { env, config } = await aTeam()
  await config('push')
  const client = await replica(env, 'stranger')
  expect(await mayEcho(client)).toBe(false)
  // As a newer Portolan could, whose settings this one does not know.
  const { Client } = await import('pg')
  const newer = new Client({ connectionString: env.PORTOLAN_DATABASE_URL })
  await newer.connect()
  await newer.query(
    `insert into portolan.config_versions select 2, 'x', 'x', '9', 1, mcp, null, 'novelty: 1' from portolan.config_versions`,
  )
  await newer.query(`select pg_notify('portolan', 'config:2')`)
  await newer.end()
  await msUntil(async () => JSON.stringify(await versionOf(client)) === '{"in_use":1,"latest":2}')
  const status = await statusOf(client)
  expect(JSON.stringify(status['reload_status'])).toContain('novelty')
  expect(status['message']).toContain('the previous content stays in use')
  // The rules that the new version took away still hold.
  expect(await mayEcho(client)).toBe(false)
})
