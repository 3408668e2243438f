import { expect, it, onTestFinished } from 'vitest'
import { beginTask, untilStatus, withTasks } from '../support/clients/extensions.ts'
import { refusal, textOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'
import { startShopServer } from '../support/start-shop-server.ts'

const ALLOWED = { allow: { servers: ['*'], scripts: true } }
const RULES = { agents: { ada: ALLOWED, grace: ALLOWED } }
const SETTINGS = { tasks: { offerAfterMs: 50 } }
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
  expect(textOf(await legacy.request('tasks/result', { taskId: ofLegacy }))).toBe('slept 500 ms')
  const endless = await beginTask(legacy, { ...slow, arguments: { ms: 3_600_000 } })
  expect(await legacy.request('tasks/get', { taskId: endless })).toMatchObject({
    status: 'working',
  })
  await legacy.request('tasks/cancel', { taskId: endless })
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
  const taskId = ofModern
  expect(await ada.request('tasks/get', { taskId })).toEqual(first)
  expect(await refusal(grace.request('tasks/get', { taskId }))).toMatchObject({ code: -32602 })
  expect(await ada.request('tasks/get', { taskId: cancelled })).toMatchObject({
    status: 'cancelled',
  })
  // Tasks of clients of 2025-11-25 end with the process that kept them.
  for (const lost of [ofLegacy, endless, ofModern])
    expect(await refusal(old.request('tasks/result', { taskId: lost }))).toMatchObject({
      code: -32602,
      message: expect.stringContaining('the task is no longer known'),
    })
})

it('a script that a client of 2025-11-25 runs as a task ends with the gateway', async () => {
  const shop = await startShopServer()
  onTestFinished(async () => shop.close())
  const wanted = { servers: { shop: { url: shop.url } }, rules: RULES, settings: SETTINGS }
  const before = await openGateway(wanted)
  const legacy = await before.connect({ ...asAda, query: 'surface=scripts' })
  const asking = await beginTask(legacy, script(APPROVE))
  await untilStatus(legacy, asking, 'input_required')
  await before.close()

  const after = await openGateway({ ...wanted, folder: before.folder })
  const again = await after.connect({ ...asAda, query: 'surface=scripts' })
  expect(await refusal(again.request('tasks/result', { taskId: asking }))).toMatchObject({
    code: -32602,
    message: expect.stringContaining('the task is no longer known'),
  })
  expect(shop.bought).toEqual([])
})
