import { expect, it, onTestFinished } from 'vitest'
import { beginTask, untilStatus, withTasks } from '../support/clients/extensions.ts'
import { openSdk } from '../support/clients/task-sdk.ts'
import { refusal, textOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'
import { startShopServer } from '../support/start-shop-server.ts'

const ALLOWED = { allow: { servers: ['*'], scripts: true } }
const RULES = { agents: { ada: ALLOWED, grace: ALLOWED } }
const SETTINGS = { tasks: { offerAfterMs: 50 }, scripts: { taskAfterMs: 50 } }
const APPROVE = `const { approved } = await tools.shop.approve({ item: 'tea' })
  return approved ? tools.shop.buy({ item: 'tea' }) : 'declined'`

const script = (code: string) => ({ name: 'run_script', arguments: { code } })
const asAda = { headers: { 'x-agent-id': 'ada' }, query: 'surface=direct' }

it('the result of a task is there after a restart, for its caller alone', async () => {
  const servers = { plain: stdioUpstream() }
  const before = await openGateway({ servers, rules: RULES, settings: SETTINGS })
  const modern = withTasks(await before.connect({ era: 'modern', ...asAda }))
  const legacy = await before.connect({ era: 'legacy', ...asAda })
  const slow = { name: 'plain__slow', arguments: { ms: 500, steps: 2 } }
  const ofModern = await beginTask(modern, slow)
  const ofLegacy = await beginTask(legacy, slow)
  const failing = await beginTask(modern, {
    name: 'plain__slow',
    arguments: { ms: 'never' },
  }).catch(() => undefined)
  expect(failing, 'arguments are checked before there is a task').toBeUndefined()
  const cancelled = await beginTask(modern, { ...slow, arguments: { ms: 3_600_000 } })
  await modern.request('tasks/cancel', { taskId: cancelled })
  const first = await untilStatus(modern, ofModern, 'completed')
  expect(textOf(Object(first['result']))).toBe('slept 500 ms')
  await legacy.request('tasks/result', { taskId: ofLegacy })
  await before.close()

  const after = await openGateway({
    servers,
    rules: RULES,
    settings: SETTINGS,
    folder: before.folder,
  })
  const ada = withTasks(await after.connect({ era: 'modern', ...asAda }))
  const old = await after.connect({ era: 'legacy', ...asAda })
  const grace = withTasks(
    await after.connect({ era: 'modern', ...asAda, headers: { 'x-agent-id': 'grace' } }),
  )
  for (const taskId of [ofModern, ofLegacy]) {
    const task = await ada.request('tasks/get', { taskId })
    expect(task).toMatchObject({ taskId, status: 'completed' })
    expect(textOf(Object(task['result']))).toBe('slept 500 ms')
    expect(textOf(await old.request('tasks/result', { taskId }))).toBe('slept 500 ms')
    expect(await refusal(grace.request('tasks/get', { taskId }))).toMatchObject({ code: -32602 })
  }
  expect(await ada.request('tasks/get', { taskId: ofModern })).toEqual(first)
  expect(await ada.request('tasks/get', { taskId: cancelled })).toMatchObject({
    status: 'cancelled',
  })
})

it('a script that a client of 2025-11-25 runs as a task goes on after a restart', async () => {
  const shop = await startShopServer()
  onTestFinished(async () => shop.close())
  const wanted = { servers: { shop: { url: shop.url } }, rules: RULES, settings: SETTINGS }
  const before = await openGateway(wanted)
  const legacy = await before.connect({ ...asAda, query: 'surface=scripts' })
  const done = await beginTask(legacy, script('return 40 + 2'))
  await legacy.request('tasks/result', { taskId: done })
  const asking = await beginTask(legacy, script(APPROVE))
  await untilStatus(legacy, asking, 'input_required')
  await before.close()

  const after = await openGateway({ ...wanted, folder: before.folder })
  const { result, asked, client } = await openSdk(after, { ok: true }, 'scripts')
  expect(await client.experimental.tasks.getTask(String(asking))).toMatchObject({
    status: 'input_required',
  })
  expect(await result(done)).toMatchObject({ structuredContent: { result: 42 } })
  expect(await result(asking)).toMatchObject({ structuredContent: { result: { orders: 1 } } })
  expect(asked).toEqual(['Buy tea?'])
  expect(shop.bought).toEqual(['tea'])
})
