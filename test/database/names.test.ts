import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, refusal, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { startRedis } from '../support/redis.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

vi.setConfig({ testTimeout: 180_000 })

const one = stdioUpstream('--name', 'one')
const two = stdioUpstream('--name', 'two')
const AMBIGUOUS =
  "Several servers have a tool 'whoami'. Name one of them: 'one__whoami', 'two__whoami'."

async function connect({ url }: RunningGateway, surface = 'direct'): Promise<RawClient> {
  const client = await openHttp('modern', `${url}/mcp?surface=${surface}`)
  onTestFinished(async () => client.close().catch(() => undefined))
  return client
}

/** The server that answers, or why none does. */
async function whoami(client: RawClient, name = 'whoami'): Promise<unknown> {
  try {
    const { argv } = structured(await call(client, name))
    return Array.isArray(argv) ? argv[1] : undefined
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

/** As a process that dies: nothing is written any more. */
async function kill({ child }: RunningGateway): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Waits until a replica has listed both servers, without being shown a bare name. */
async function untilBoth(gateway: RunningGateway): Promise<void> {
  const client = await connect(gateway, 'discover')
  await expect.poll(async () => textOf(await call(client, 'list_servers'))).toContain('"two"')
  for (const server of ['one', 'two'])
    await expect.poll(async () => whoami(client, `${server}__whoami`)).toBe(server)
}

it('a name that one replica has shown is understood by the others, through PostgreSQL', async () => {
  const env = { PORTOLAN_DATABASE_URL: await createDatabase(inject('postgresUrl')) }
  const desk = tempFolder()
  const push = async (mcpServers: object) => {
    desk.write('.mcp.json', { mcpServers })
    expect(await runBuilt(desk, ['config', 'push'], env)).toMatchObject({ code: 0 })
  }
  // Each in a folder of its own: what they have in common is in the database.
  const replica = async () =>
    startGateway(tempFolder(), [], { ...env, PORTOLAN_CONFIG_SOURCE: 'database' })
  await push({ one })
  const [a, b] = [await replica(), await replica()]
  const clients = [await connect(a), await connect(b)] as const
  expect(await toolNames(clients[0])).toContain('whoami')
  await push({ one, two })
  // Nobody was shown anything by this one before there were two servers.
  await untilBoth(b)
  await expect.poll(async () => whoami(clients[1])).toBe('one')
  await kill(a)
  expect(await whoami(clients[1])).toBe('one')
  const c = await replica()
  await untilBoth(c)
  const later = await connect(c)
  await expect.poll(async () => whoami(later)).toBe('one')
  expect(await toolNames(later)).not.toContain('whoami')
})

it('the same through Redis; without it a replica goes by what it knows', async () => {
  const redis = await startRedis({ ownOnly: true })
  onTestFinished(async () => redis.stop())
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { one } })
  const env = { PORTOLAN_REDIS_URL: redis.url, PORTOLAN_REDIS_TIMEOUT_MS: '2000' }
  let count = 0
  // The same files, and a data folder of its own, as on machines that are set up alike.
  const replica = async () =>
    startGateway(folder, [], { ...env, PORTOLAN_HOME: folder.file(`data${count++}`) })
  const [a, b] = [await replica(), await replica()]
  const clients = [await connect(a), await connect(b)] as const
  expect(await toolNames(clients[0])).toContain('whoami')
  folder.write('.mcp.json', { mcpServers: { one, two } })
  await untilBoth(b)
  await expect.poll(async () => whoami(clients[1])).toBe('one')
  await kill(a)
  const c = await replica()
  await untilBoth(c)
  const later = await connect(c)
  await expect.poll(async () => whoami(later)).toBe('one')

  await redis.kill()
  expect(await whoami(clients[1])).toBe('one')
  const d = await replica()
  await untilBoth(d)
  const alone = await connect(d)
  expect((await refusal(call(alone, 'whoami'))).message).toBe(AMBIGUOUS)

  // An empty Redis is told by those who know, and this replica by it.
  await redis.start()
  await expect.poll(async () => whoami(alone), { timeout: 60_000 }).toBe('one')
  expect(namesFolders(folder, count)).toEqual([])
})

/** Which replicas have written to their data folders what belongs into Redis. */
function namesFolders(folder: TempFolder, count: number): string[] {
  const files = Array.from({ length: count }, (_, n) => `data${n}/names`)
  return files.filter((name) => existsSync(folder.file(name)))
}
