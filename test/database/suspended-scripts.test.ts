import { expect, inject, it, onTestFinished } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { openDatabase } from '../../src/replicas/database/open-database.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, structured } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { startShopServer } from '../support/start-shop-server.ts'

const RULES = { agents: { ada: { allow: { servers: ['*'], scripts: true } } } }
const CODE = `
  const { approved } = await tools.shop.approve({ item: 'tea' })
  return approved && tools.shop.buy({ item: 'tea' })`

/** What replicas share, beside the key. */
const SHARED = {
  PostgreSQL: async () => ({ PORTOLAN_DATABASE_URL: await createDatabase(inject('postgresUrl')) }),
  Redis: async () => ({
    PORTOLAN_REDIS_URL: inject('redisUrl'),
    PORTOLAN_REDIS_TIMEOUT_MS: '5000',
  }),
}

async function openReplicas(env: Record<string, string>) {
  const shop = await startShopServer()
  onTestFinished(async () => shop.close())
  const wanted = { servers: { shop: { url: shop.url } }, rules: RULES, env }
  const [a, b] = await Promise.all([openGateway(wanted), openGateway(wanted)])
  return { shop, a, b }
}

const connect = async (gateway: Opened) =>
  gateway.connect({
    era: 'modern',
    query: 'surface=discover',
    headers: { 'x-agent-id': 'ada' },
  })

async function send(client: RawClient, more: JsonObject = {}): Promise<JsonObject> {
  const params = { name: 'run_script', arguments: { code: CODE }, ...more }
  const message: unknown = JSON.parse(await client.text('tools/call', params))
  const { result, error }: JsonObject = isObject(message) ? message : {}
  return isObject(result) ? result : { error }
}

/** The question of a script that is stored: until a replica has reached Redis, scripts wait in its memory. */
async function askStored(gateway: Opened): Promise<JsonObject> {
  const client = await connect(gateway)
  let asked: JsonObject = {}
  const state = async () => (asked = await send(client))['requestState']
  await expect.poll(state, { timeout: 20_000 }).toMatch(/^suspended-script\./)
  return asked
}

it.each([
  ['PostgreSQL', SHARED.PostgreSQL],
  ['Redis', SHARED.Redis],
])('with %s, a script that asks on one replica goes on at another, once', async (_, share) => {
  const env = { ...(await share()), PORTOLAN_SECRET_KEY: 'correct horse' }
  const { shop, a, b } = await openReplicas(env)
  const [asked] = await Promise.all([askStored(a), askStored(b)])
  const { requestState, resultType } = asked
  expect(resultType).toBe('input_required')
  await a.close()
  const inputResponses = { '1.ok': { action: 'accept', content: { ok: true } } }
  const client = await connect(b)
  const answers = await Promise.all([
    send(client, { requestState, inputResponses }),
    send(await connect(b), { requestState, inputResponses }),
  ])
  const done = answers.filter(({ isError }) => isError !== true)
  expect(done.map(({ structuredContent }) => structuredContent)).toEqual([
    { result: { orders: 1 } },
  ])
  expect(JSON.stringify(answers)).toContain('script_expired')
  expect(shop.bought).toEqual(['tea'])
})

it('without a key for the database nothing is stored, and the script waits in memory', async () => {
  const env = await SHARED.PostgreSQL()
  const { shop, a } = await openReplicas(env)
  const client = await connect(a)
  client.answers['elicitation/create'] = { action: 'accept', content: { ok: true } }
  expect(structured(await call(client, 'run_script', { code: CODE }))).toEqual({
    result: { orders: 1 },
  })
  expect(shop.bought).toEqual(['tea'])
  const database = await openDatabase(env.PORTOLAN_DATABASE_URL, {})
  onTestFinished(async () => database.close())
  const rows = await database.storage.db.selectFrom('suspended_scripts').selectAll().execute()
  expect(rows).toEqual([])
})
