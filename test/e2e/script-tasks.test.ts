import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { auditOf } from '../support/audit-of.ts'
import { untilStatus, withTasks } from '../support/clients/extensions.ts'
import { call, refusal } from '../support/clients/talk.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { type Opened, type Wanted, openGateway } from '../support/open-gateway.ts'
import { startShopServer } from '../support/start-shop-server.ts'

const ALLOWED = { allow: { servers: ['*'], scripts: true } }
const RULES = { agents: { ada: ALLOWED, grace: ALLOWED } }
const LONG_MS = 30_000
const BUY = `
  const { price } = await tools.shop.price({ item: 'tea' })
  const [tea, milk] = await Promise.all([
    tools.shop.approve({ item: 'tea' }), tools.shop.approve({ item: 'milk' })])
  if (!tea.approved) return 'declined'
  const { orders } = await tools.shop.buy({ item: 'tea' })
  return { price, orders, milk: milk.approved }`

const yes = { action: 'accept', content: { ok: true } }
const no = { action: 'accept', content: { ok: false } }

async function openShop() {
  const shop = await startShopServer()
  onTestFinished(async () => shop.close())
  return shop
}

const open = async (shop: { url: string }, more: Partial<Wanted> = {}) =>
  openGateway({ servers: { shop: { url: shop.url } }, rules: RULES, ...more })

/** A modern client that declares the extension. */
const connect = async (gateway: Opened, agent = 'ada') =>
  withTasks(
    await gateway.connect({
      era: 'modern',
      query: 'surface=discover',
      headers: { 'x-agent-id': agent },
    }),
  )

const inputRequestsOf = ({ inputRequests }: JsonObject): JsonObject => Object(inputRequests)

it('a script that asks is a task of its caller, which tasks/update answers', async () => {
  const shop = await openShop()
  const gateway = await open(shop)
  const [ada, grace] = [await connect(gateway), await connect(gateway, 'grace')]
  const created = await call(ada, 'run_script', { code: BUY })
  expect(created).toMatchObject({ resultType: 'task', taskId: expect.stringMatching(/^pt_/) })
  const { taskId } = created
  const asked = async () => inputRequestsOf(await ada.request('tasks/get', { taskId }))
  const messages = async () =>
    Object.values(await asked()).map((question) => Object(question).params.message)
  await expect.poll(messages, { timeout: LONG_MS }).toEqual(['Buy tea?', 'Buy milk?'])

  const unknown = await refusal(grace.request('tasks/get', { taskId: 'pt_unknown' }))
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    expect(await refusal(grace.request(method, { taskId, inputResponses: {} }))).toEqual(unknown)

  const [tea = '', milk = ''] = Object.keys(await asked())
  await ada.request('tasks/update', { taskId, inputResponses: { [tea]: yes } })
  await expect.poll(messages, { timeout: LONG_MS }).toEqual(['Buy milk?'])
  expect(shop.bought).toEqual([])
  // Another connection of the same caller.
  const again = await connect(gateway)
  await again.request('tasks/update', { taskId, inputResponses: { [milk]: no } })
  const { result } = await untilStatus(again, taskId, 'completed')
  expect(result).toMatchObject({
    structuredContent: { result: { price: 12, orders: 1, milk: false } },
  })
  expect(shop.bought).toEqual(['tea'])
  // Every call of it is on record below the request that began it.
  const begunBy = (): string => {
    const run = auditOf(gateway).find(({ operation }) => operation === 'run_script')
    return run ? Object(run['metadata']).call_id : 'none yet'
  }
  const made = () =>
    auditOf(gateway).filter(({ metadata }) => Object(metadata).parent === begunBy()).length
  await expect.poll(made, { timeout: LONG_MS }).toBe(6)
  const ask = dashboardOf(gateway.url)
  const { calls } = (await ask('GET /runs/:id', { params: { id: begunBy() } })).value
  const names = calls.map(({ call: { tool } }) => String(tool))
  expect(names.toSorted()).toEqual(['approve', 'approve', 'approve', 'approve', 'buy', 'price'])
})

it('a script that takes long is a task, which can be polled and cancelled', async () => {
  const shop = await openShop()
  const gateway = await open(shop, { settings: { tasks: { offerAfterMs: 50 } } })
  const client = await connect(gateway)
  const code = `await tools.shop.wait(); return tools.shop.buy({ item: 'tea' })`
  const first = await call(client, 'run_script', { code })
  const second = await call(client, 'run_script', { code })
  expect([first['resultType'], second['resultType']]).toEqual(['task', 'task'])
  expect(await untilStatus(client, first['taskId'], 'working')).not.toHaveProperty('result')
  await client.request('tasks/cancel', { taskId: first['taskId'] })
  expect(await untilStatus(client, first['taskId'], 'cancelled')).not.toHaveProperty('result')
  shop.open()
  const { result } = await untilStatus(client, second['taskId'], 'completed')
  expect(result).toMatchObject({ structuredContent: { result: { orders: 1 } } })
  expect(shop.bought).toEqual(['tea'])

  const asking = await call(client, 'run_script', { code: BUY })
  await untilStatus(client, asking['taskId'], 'input_required')
  const plain = await gateway.connect({
    era: 'modern',
    query: 'surface=discover',
    headers: { 'x-agent-id': 'ada' },
  })
  const slept = await call(plain, 'run_script', { code: 'await sleep(200); 7' })
  expect(slept, 'a client without tasks waits').toMatchObject({ structuredContent: { result: 7 } })

  // It ends with the right to run scripts.
  const rules = { agents: { ...RULES.agents, ada: { allow: { servers: ['*'] } } } }
  gateway.folder.write('.mcp-gateway-rules.json', rules)
  const answer = async () =>
    client.request('tasks/get', { taskId: asking['taskId'] }).then(
      () => 'allowed',
      (error: { code: unknown }) => error.code,
    )
  await expect.poll(answer, { timeout: LONG_MS }).toBe(-32000)
})

it('the task of a script that asks outlives the gateway, and goes on once', async () => {
  const shop = await openShop()
  const before = await open(shop)
  const first = await connect(before)
  const quick = await call(first, 'run_script', { code: '1 + 1' })
  expect(quick, 'one that is done soon is no task').toMatchObject({
    structuredContent: { result: 2 },
  })
  const code = BUY.replace('return {', 'log("bought"); throw {')
  const tasks = await Promise.all([
    call(first, 'run_script', { code: BUY }),
    call(first, 'run_script', { code }),
  ])
  const [bought, failing] = tasks.map(({ taskId }) => taskId)
  const asked = await untilStatus(first, bought, 'input_required')
  await untilStatus(first, failing, 'input_required')
  const lost = await call(first, 'run_script', { code: 'await tools.shop.approve({ item: "x" })' })
  await untilStatus(first, lost['taskId'], 'input_required')
  await first.request('tasks/cancel', { taskId: lost['taskId'] })
  await before.close()

  const after = await open(shop, { folder: before.folder })
  const [ada, grace] = [await connect(after), await connect(after, 'grace')]
  expect(await untilStatus(ada, lost['taskId'], 'cancelled')).not.toHaveProperty('result')
  const again = await untilStatus(ada, bought, 'input_required')
  expect(again['inputRequests']).toEqual(asked['inputRequests'])
  const inputResponses = Object.fromEntries(
    Object.keys(inputRequestsOf(asked)).map((key) => [key, yes]),
  )
  expect(
    await refusal(grace.request('tasks/update', { taskId: bought, inputResponses })),
  ).toMatchObject({ code: -32602 })
  await Promise.all(
    [bought, bought, failing].map(async (taskId) =>
      ada.request('tasks/update', { taskId, inputResponses }),
    ),
  )
  const done = await untilStatus(ada, bought, 'completed')
  expect(done['result']).toMatchObject({ structuredContent: { result: { milk: true } } })
  const failed = await untilStatus(ada, failing, 'completed')
  expect(failed['result']).toMatchObject({ isError: true })
  expect(JSON.stringify(failed['result'])).toContain('log: bought')
  expect(shop.bought).toEqual(['tea', 'tea'])
})

it('the SDK of 2025-11-25 runs a script as a task, and answers its question', async () => {
  const shop = await openShop()
  const gateway = await open(shop)
  const client = new Client(
    { name: 'suite', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { ok: true } }))
  const url = new URL(`${gateway.url}/mcp?surface=scripts`)
  const requestInit = { headers: { 'x-agent-id': 'ada' } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  onTestFinished(async () => client.close())
  const { tools } = await client.listTools()
  expect(tools.find(({ name }) => name === 'run_script')?.execution).toEqual({
    taskSupport: 'optional',
  })
  expect(tools.find(({ name }) => name === 'find_tools')?.execution).toBeUndefined()

  const statuses: string[] = []
  const results: unknown[] = []
  const params = { name: 'run_script', arguments: { code: BUY } }
  const stream = client.experimental.tasks.callToolStream(params, CallToolResultSchema, {
    task: {},
  })
  for await (const message of stream) {
    if (message.type === 'taskCreated' || message.type === 'taskStatus')
      statuses.push(message.task.status)
    else results.push(message)
  }
  expect(results).toMatchObject([
    {
      type: 'result',
      result: { structuredContent: { result: { price: 12, orders: 1, milk: true } } },
    },
  ])
  expect(statuses).toContain('input_required')
  // Without being asked for a task it gives none.
  const direct = await client.callTool({ name: 'run_script', arguments: { code: '1 + 1' } })
  expect(direct.structuredContent).toEqual({ result: 2 })
})
