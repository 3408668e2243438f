import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
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

/** One request and its answer, as they are; questions stay open. */
async function send(client: RawClient, code: string, more: JsonObject = {}): Promise<JsonObject> {
  const params = { name: 'run_script', arguments: { code }, ...more }
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
