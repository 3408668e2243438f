import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { openSavedScripts } from '../../src/builtins/scripts/open-saved-scripts.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { auditOf } from '../support/audit-of.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, structured } from '../support/clients/talk.ts'
import { type Opened, type Wanted, openGateway } from '../support/open-gateway.ts'
import { startShopServer } from '../support/start-shop-server.ts'

const RULES = {
  agents: {
    ada: { allow: { servers: ['*'], scripts: true } },
    grace: { allow: { servers: ['*'], scripts: true } },
  },
}

const BUY = `
  const { price, supplier } = await tools.shop.price({ item: 'tea' })
  const { approved } = await tools.shop.approve({ item: 'tea' })
  if (!approved) return 'declined'
  const { orders } = await tools.shop.buy({ item: 'tea' })
  return { price, orders, supplier: supplier.length }`

async function openShop() {
  const shop = await startShopServer()
  onTestFinished(async () => shop.close())
  return shop
}

async function open(shop: { url: string }, more: Partial<Wanted> = {}): Promise<Opened> {
  return openGateway({ servers: { shop: { url: shop.url } }, rules: RULES, ...more })
}

const connect = async (gateway: Opened, agent = 'ada') =>
  gateway.connect({
    era: 'modern',
    query: 'surface=discover',
    headers: { 'x-agent-id': agent },
  })

const send = async (client: RawClient, code: string, more: JsonObject = {}) =>
  callOnce(client, { name: 'run_script', arguments: { code }, ...more })

/** One request and its answer, as they are; questions stay open. */
async function callOnce(client: RawClient, params: JsonObject): Promise<JsonObject> {
  const message: unknown = JSON.parse(await client.text('tools/call', params))
  const { result, error }: JsonObject = isObject(message) ? message : {}
  return isObject(result) ? result : { error }
}

const yes = { action: 'accept', content: { ok: true } }

function answering({ requestState, inputRequests }: JsonObject, answer: JsonObject = yes) {
  const keys = Object.keys(isObject(inputRequests) ? inputRequests : {})
  return { requestState, inputResponses: Object.fromEntries(keys.map((key) => [key, answer])) }
}

const reasonOf = ({ structuredContent }: JsonObject): unknown => {
  const { error } = isObject(structuredContent) ? structuredContent : {}
  return isObject(error) ? error['reason'] : error
}

it('goes on after a restart of the gateway, once, for its agent alone', async () => {
  const shop = await openShop()
  const before = await open(shop)
  const asked = await send(await connect(before), BUY)
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { '2.ok': { method: 'elicitation/create', params: { message: 'Buy tea?' } } },
    requestState: expect.stringMatching(/^suspended-script\./),
  })
  await before.close()
  const stored = readFileSync(before.folder.file('data/portolan.db'), 'latin1')
  const log = readFileSync(before.folder.file('data/portolan.db-wal'), {
    encoding: 'latin1',
    flag: 'a+',
  })
  for (const secret of ['classified', 'supplier', 'Buy tea'])
    expect(stored + log).not.toContain(secret)
  expect(stored + log).toContain('sealed2:')

  const after = await open(shop, { folder: before.folder })
  const [ada, grace] = [await connect(after), await connect(after, 'grace')]
  expect(await send(grace, BUY, answering(asked))).toMatchObject({
    error: { message: expect.stringContaining('requestState is unknown') },
  })
  expect(shop.bought).toEqual([])
  const answers = await Promise.all([
    send(ada, BUY, answering(asked)),
    send(ada, BUY, answering(asked)),
    send(await connect(after), BUY, answering(asked)),
  ])
  const done = answers.filter(({ isError }) => isError !== true)
  expect(done.map(({ structuredContent }) => structuredContent)).toEqual([
    { result: { price: 12, orders: 1, supplier: 19 } },
  ])
  const refused = answers.filter(({ isError }) => isError === true)
  expect(refused.map(reasonOf)).toEqual(['script_expired', 'script_expired'])
  expect(JSON.stringify(refused)).toContain('Calls already made: shop.price, shop.approve')
  expect(shop.bought).toEqual(['tea'])
})

const use = async (client: RawClient, name: string, item: string, more: JsonObject = {}) =>
  callOnce(client, {
    name: 'execute_tool',
    arguments: { server: 'scripts', tool: name, args: { item } },
    ...more,
  })

it('goes on as a saved script too, called by itself or by another script', async () => {
  const shop = await openShop()
  const before = await open(shop)
  const inputSchema = { type: 'object', properties: { item: { type: 'string' } } }
  const saved = await openSavedScripts(before.folder.file('data'), undefined)
  const source = BUY.replaceAll(`{ item: 'tea' }`, 'input')
  for (const name of ['order', 'other'])
    await saved.save({ name, description: 'Buys it', inputSchema, source }, 'eve')
  const first = await connect(before)
  let asked: JsonObject = {}
  await expect
    .poll(
      async () => {
        asked = await use(first, 'order', 'tea')
        return asked
      },
      { timeout: 30_000 },
    )
    .toMatchObject({
      resultType: 'input_required',
      inputRequests: { '2.ok': { params: { message: 'Buy tea?' } } },
      requestState: expect.stringMatching(/^suspended-script\./),
    })
  const code = `const { orders } = await tools.scripts.order({ item: 'milk' }); return { orders }`
  const nested = await send(first, code)
  expect(nested).toMatchObject({
    inputRequests: { '1.2.ok': { params: { message: 'Buy milk?' } } },
  })
  await before.close()

  const after = await open(shop, { folder: before.folder })
  const [ada, grace] = [await connect(after), await connect(after, 'grace')]
  const refused = { error: { message: expect.stringContaining('requestState is unknown') } }
  const answered = answering(asked)
  expect(await send(ada, code, answered)).toMatchObject(refused)
  for (const [client, name] of [[grace, 'order'] as const, [ada, 'other'] as const])
    expect(JSON.stringify(await use(client, name, 'tea', answered))).toContain(
      'requestState is unknown',
    )
  expect(shop.bought).toEqual([])
  expect(await use(ada, 'order', 'tea', answered)).toMatchObject({
    structuredContent: { price: 12, orders: 1 },
  })
  const again = await use(ada, 'order', 'tea', answered)
  expect(JSON.stringify(again)).toContain('Calls already made: shop.price, shop.approve')
  expect(await send(ada, code, answering(nested))).toMatchObject({
    structuredContent: { result: { orders: 2 } },
  })
  expect(shop.bought).toEqual(['tea', 'milk'])
})

it('asks several times, several things at once, and holds what comes meanwhile', async () => {
  const shop = await openShop()
  const gateway = await open(shop)
  const client = await connect(gateway)
  const code = `
    const first = await tools.shop.approve({ item: 'cup' })
    const [opened, tea, milk] = await Promise.all([
      tools.shop.wait(), tools.shop.approve({ item: 'tea' }), tools.shop.approve({ item: 'milk' })])
    return [first.item, opened.open, tea.item, milk.approved]`
  const first = await send(client, code)
  expect(Object.keys(Object(first['inputRequests']))).toEqual(['1.ok'])
  const waiting = send(client, code, answering(first))
  // Two questions are open and one call is under way: the request ends when that has its answer.
  await expect
    .poll(() => auditOf(gateway).filter(({ operation }) => operation === 'script_call').length, {
      timeout: 20_000,
    })
    .toBe(4)
  shop.open()
  const second = await waiting
  expect(Object.keys(Object(second['inputRequests'])).toSorted()).toEqual(['3.ok', '4.ok'])
  const { requestState } = second
  const onlyTea = { requestState, inputResponses: { '3.ok': yes } }
  const third = await send(client, code, onlyTea)
  expect(Object.keys(Object(third['inputRequests']))).toEqual(['4.ok'])
  const done = await send(
    client,
    code,
    answering(third, { action: 'accept', content: { ok: false } }),
  )
  expect(done).toMatchObject({ structuredContent: { result: ['cup', true, 'tea', false] } })
  const runs = () => auditOf(gateway).filter(({ operation }) => operation === 'run_script')
  await expect.poll(() => runs().length, { timeout: 20_000 }).toBe(4)
  const [begun, ...continued] = runs().map(({ metadata }) => Object(metadata))
  expect(begun).not.toHaveProperty('parent')
  expect(continued.map(({ parent }) => parent)).toEqual(continued.map(() => begun?.call_id))
})

it('is stopped and leaves nothing behind when its caller goes while it is being suspended', async () => {
  const shop = await openShop()
  const gateway = await open(shop)
  const client = await connect(gateway)
  const leaving = new AbortController()
  const code = `await Promise.all([tools.shop.wait(), tools.shop.approve({ item: 'tea' })])`
  const params = { name: 'run_script', arguments: { code } }
  const asked = client.request('tools/call', params, { signal: leaving.signal })
  asked.catch(() => undefined)
  const operations = () => auditOf(gateway).map(({ operation }) => operation)
  await expect.poll(operations, { timeout: 20_000 }).toContain('script_call')
  leaving.abort()
  await expect.poll(operations, { timeout: 20_000 }).toContain('run_script')
  shop.open()
  const storage = await openStorage({ home: gateway.folder.file('data') })
  onTestFinished(async () => storage.close())
  expect(await storage.db.selectFrom('suspended_scripts').selectAll().execute()).toEqual([])
  // Its slot is free, and another script runs.
  expect(await send(client, '1 + 1')).toMatchObject({ structuredContent: { result: 2 } })
})

it('waits in the process for a client of the old era', async () => {
  const shop = await openShop()
  const gateway = await open(shop)
  const headers = { 'x-agent-id': 'ada' }
  const client = await gateway.connect({ era: 'legacy', query: 'surface=discover', headers })
  client.answers['elicitation/create'] = yes
  const code = `
    const { approved } = await tools.shop.approve({ item: 'tea' })
    const again = await tools.shop.approve({ item: 'milk' })
    return [approved, again.item, await tools.shop.buy({ item: 'tea' })]`
  expect(structured(await call(client, 'run_script', { code }))).toEqual({
    result: [true, 'milk', { orders: 1 }],
  })
})
