import { once } from 'node:events'
import { expect, inject, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { beginTask, untilStatus, withTasks } from '../support/clients/extensions.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { refusal, textOf } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { stdioUpstream } from '../support/start.ts'
import { startShopServer } from '../support/start-shop-server.ts'
import { startEverything } from '../support/tasks/start-everything.ts'

const RULES = { agents: { ada: { allow: { servers: ['*'], scripts: true } } } }
const SETTINGS = { tasks: { offerAfterMs: 50 } }
const BUY = `const { approved } = await tools.shop.approve({ item: 'tea' })
  return approved ? tools.shop.buy({ item: 'tea' }) : 'declined'`
const SCRIPT = { name: 'run_script', arguments: { code: BUY } }
const yes = { action: 'accept', content: { ok: true } }

const connect = async (gateway: Opened, era: 'legacy' | 'modern', surface = 'direct') =>
  withTasks(
    await gateway.connect({
      era,
      query: `surface=${surface}`,
      headers: { 'x-agent-id': 'ada' },
    }),
  )

/** Answers all that a task asks, in the way of the modern era. */
async function answer(client: RawClient, taskId: unknown, given: JsonObject): Promise<void> {
  const { inputRequests } = await untilStatus(client, taskId, 'input_required')
  const keys = Object.keys(Object(inputRequests))
  expect(keys).not.toEqual([])
  const inputResponses = Object.fromEntries(keys.map((key) => [key, given]))
  await client.request('tasks/update', { taskId, inputResponses })
}

async function openReplicas(servers: JsonObject): Promise<[Opened, Opened]> {
  const env = {
    PORTOLAN_DATABASE_URL: await createDatabase(inject('postgresUrl')),
    PORTOLAN_REDIS_URL: inject('redisUrl'),
    PORTOLAN_REDIS_TIMEOUT_MS: '5000',
    PORTOLAN_SECRET_KEY: 'correct horse',
  }
  const wanted = { servers, rules: RULES, settings: SETTINGS, env }
  return Promise.all([openGateway(wanted), openGateway(wanted)])
}

async function kill({ child }: Opened): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

it('a script that asks at one replica is answered and cancelled at another, by way of its task', async () => {
  const shop = await startShopServer()
  onTestFinished(async () => shop.close())
  const [a, b] = await openReplicas({ shop: { url: shop.url } })
  const modern = await connect(a, 'modern', 'scripts')
  const legacy = await connect(a, 'legacy', 'scripts')
  const ofModern = await beginTask(modern, SCRIPT)
  const ofLegacy = await beginTask(legacy, SCRIPT)
  const dropped = await beginTask(modern, SCRIPT)
  await untilStatus(legacy, ofLegacy, 'input_required')
  const other = await connect(b, 'modern', 'scripts')
  await answer(other, ofModern, yes)
  const done = await untilStatus(other, ofModern, 'completed')
  expect(done['result']).toMatchObject({ structuredContent: { result: { orders: 1 } } })
  await untilStatus(other, dropped, 'input_required')
  await other.request('tasks/cancel', { taskId: dropped })
  await untilStatus(modern, dropped, 'cancelled')

  // A task of a client of 2025-11-25 is known to the replica that made it alone.
  const old = await connect(b, 'legacy', 'scripts')
  expect(await refusal(old.request('tasks/get', { taskId: ofLegacy }))).toMatchObject({
    message: expect.stringContaining('another replica of it runs this task'),
  })

  await kill(a)
  expect((await untilStatus(other, ofModern, 'completed'))['result']).toEqual(done['result'])
  await untilStatus(other, dropped, 'cancelled')
  expect(shop.bought).toEqual(['tea'])
})

it('a task of a server of 2025-11-25 is answered at another replica, and results outlive the one that kept them', async () => {
  const everything = await startEverything()
  const servers = { everything: { url: everything.url }, plain: stdioUpstream() }
  const [a, b] = await openReplicas(servers)
  const [atA, atB] = [await connect(a, 'modern'), await connect(b, 'modern')]
  for (const client of [atA, atB]) {
    const { roots: _roots, ...others } = client.capabilities
    client.capabilities = others
  }
  const slow = { name: 'plain__slow', arguments: { ms: 500, steps: 2 } }
  const [held, fetched] = [await beginTask(atA, slow), await beginTask(atA, slow)]
  await untilStatus(atA, held, 'completed')
  await untilStatus(atB, fetched, 'completed')
  const running = await beginTask(atA, { ...slow, arguments: { ms: 3_600_000 } })
  const research = {
    name: 'everything__simulate-research-query',
    arguments: { topic: 'python', ambiguous: true },
  }
  // One after the other: a server of that era cannot say which of several clients it asks.
  const [asking, asked] = [await beginTask(atA, research), await beginTask(atA, research)]
  await answer(atB, asking, { action: 'accept', content: { interpretation: 'snake' } })
  const { result: report } = await untilStatus(atB, asking, 'completed')
  expect(textOf(Object(report))).toContain('python (snake)')
  await kill(a)

  for (const taskId of [held, fetched]) {
    const { result } = await untilStatus(atB, taskId, 'completed')
    expect(textOf(Object(result))).toBe('slept 500 ms')
  }
  for (const taskId of [running, asked])
    expect(await untilStatus(atB, taskId, 'failed')).toMatchObject({
      statusMessage: expect.stringContaining('The replica that ran this task has ended'),
    })
})
