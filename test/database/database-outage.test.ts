import { execFile } from 'node:child_process'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { type SharedDatabase, openDatabase } from '../../src/replicas/database/open-database.ts'
import type { KeyStore } from '../../src/identity/key-store.ts'
import { createMemoryStore } from '../../src/shaping/handles/result-store.ts'
import { call, execute, valueOf } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv, startGateway } from '../support/gateway.ts'
import { type TestServer, createDatabase, startPostgres } from '../support/postgres.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

let postgres: TestServer
beforeAll(async () => {
  postgres = await startPostgres({ own: true })
})
// A test that fails while the database is gone must not take it from the next one.
afterEach(async () => postgres.resume())
afterAll(async () => postgres.stop())

async function open(): Promise<SharedDatabase> {
  const database = await openDatabase(await createDatabase(postgres.url), {})
  onTestFinished(async () => database.close())
  await until('ok', database)
  return database
}

async function until(state: 'ok' | 'down', database: SharedDatabase): Promise<void> {
  await expect.poll(() => database.health().state).toBe(state)
}

/** Until it is answered from memory: word of its making may still be on its way. */
async function inUse(keys: KeyStore, secret: string): Promise<void> {
  await expect
    .poll(async () => {
      await keys.find(secret)
      await new Promise((resolve) => setTimeout(resolve, 200))
      return keys.find(secret) instanceof Promise
    })
    .toBe(false)
}

const anEvent = (id: string) => ({
  id,
  operation: 'execute_tool',
  startedAt: Date.now(),
  durationMs: 0,
  decision: 'ALLOW' as const,
})

it('lets known keys in while the database is gone, refuses the rest in words, and recovers', async () => {
  const database = await open()
  const keys = database.keys(60_000)
  const strict = database.keys(1)
  const { key, secret } = await keys.create('ada')
  const stranger = await keys.create('bob')
  await inUse(keys, secret)
  await inUse(strict, secret)
  await postgres.halt()
  await until('down', database)

  expect(keys.find(secret)).toMatchObject({ agent: 'ada' })
  await expect(keys.find(stranger.secret)).rejects.toThrow('The database cannot be reached')
  // Past the time that is granted, a known key is no better than an unknown one.
  await new Promise((resolve) => setTimeout(resolve, 600))
  await expect(strict.find(secret)).rejects.toThrow('The database cannot be reached')
  await expect(keys.create('eve')).rejects.toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    details: { hint: expect.stringContaining('Nothing was changed') },
  })

  await postgres.resume()
  await until('ok', database)
  expect(await keys.find(stranger.secret)).toMatchObject({ agent: 'bob' })
  await keys.revoke(key.id)
  expect(await keys.find(secret)).toMatchObject({ revokedAt: expect.any(Number) })
})

it('loses no result and no record that it was given while the database was gone', async () => {
  const database = await open()
  const results = database.results(createMemoryStore({ ttlMs: 60_000, maxBytes: 1 << 20 }), 60_000)
  const index = database.auditIndex()
  index.record(anEvent('before'))
  await postgres.halt()
  await until('down', database)
  await results.put('r_1', { agent: 'ada', result: { content: [] } })
  expect(await results.get('r_1')).toMatchObject({ agent: 'ada' })
  await expect(results.get('r_other')).rejects.toThrow('The database cannot be reached')
  index.record(anEvent('during'))
  await index.flush()

  await postgres.resume()
  await until('ok', database)
  await expect
    .poll(async () => database.storage.db.selectFrom('kept_results').select('handle').execute())
    .toEqual([{ handle: 'r_1' }])
  index.record(anEvent('after'))
  await index.close()
  const { records } = await database.auditSearch.search({ limit: 10 })
  expect(records).toHaveLength(3)
  expect(index.status).toMatchObject({ written: 3, dropped: 0 })
})

it('answers calls over a restart of the database, and says in status how it is', async () => {
  const env = {
    PORTOLAN_DATABASE_URL: await createDatabase(postgres.url),
    PORTOLAN_DATABASE_POOL_SIZE: '3',
  }
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { one: stdioUpstream() } })
  const gateway = await startGateway(folder, [], env)
  const created = await run(['keys', 'create', 'ada'], env, folder)
  const headers = { authorization: `Bearer ${created.stdout.trim()}` }
  const client = await openHttp('modern', `${gateway.url}/mcp`, headers)
  onTestFinished(async () => client.close().catch(() => undefined))
  let wrong = 0
  const done = new AbortController()
  const calling = (async () => {
    while (!done.signal.aborted) {
      const result = await execute(client, 'one', 'echo', { text: 'hi' })
      if (result['isError'] === true) wrong++
    }
  })()
  await postgres.halt()
  await vi.waitFor(
    async () =>
      expect(valueOf(await call(client, 'get_gateway_status'))).toMatchObject({
        database: { state: 'down', since: expect.any(String) },
        message: expect.stringContaining('The database cannot be reached'),
      }),
    { timeout: 60_000 },
  )
  await postgres.resume()
  await vi.waitFor(
    async () =>
      expect(valueOf(await call(client, 'get_gateway_status'))).toMatchObject({
        database: { state: 'ok' },
      }),
    { timeout: 60_000 },
  )
  done.abort()
  await calling
  expect(wrong).toBe(0)
  const [id = ''] = (await run(['keys', 'list'], env, folder)).stdout.split('\t')
  await run(['keys', 'revoke', id], env, folder)
  await vi.waitFor(async () => expect(call(client, 'list_servers')).rejects.toThrow(/revoked/), {
    timeout: 30_000,
  })
})

it('waits for the database at the start, and gives up with what to do', async () => {
  const databaseUrl = await createDatabase(postgres.url)
  await postgres.halt()
  const folder = tempFolder()
  const started = startGateway(folder, [], { PORTOLAN_DATABASE_URL: databaseUrl })
  const { code, stderr } = await run(
    ['serve', '--port', '0'],
    { PORTOLAN_DATABASE_URL: databaseUrl, PORTOLAN_DATABASE_WAIT_MS: '1000' },
    folder,
  )
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /did not answer within 1 s.*Start PostgreSQL, correct PORTOLAN_DATABASE_URL/,
  )
  expect(stderr).not.toContain('    at ')
  await postgres.resume()
  expect((await started).url).toContain('http://')
})

async function run(
  args: readonly string[],
  env: Record<string, string>,
  folder: ReturnType<typeof tempFolder>,
) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args],
      { cwd: folder.path, env: gatewayEnv(folder, env) },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}
