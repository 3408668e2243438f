import { expect, it } from 'vitest'
import { openSdk } from '../support/clients/task-sdk.ts'
import { beginTask, untilStatus, withTasks } from '../support/clients/extensions.ts'
import { call, refusal } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { startEverything } from '../support/tasks/start-everything.ts'

const RULES = { agents: { ada: { allow: { servers: ['*'] } } } }
const asAda = { headers: { 'x-agent-id': 'ada' }, query: 'surface=direct' }
const RESEARCH = { topic: 'python', ambiguous: true }
const PARAMS = { name: 'simulate-research-query', arguments: RESEARCH }

it('the task of a published server of 2025-11-25 is passed on, asks its client, and ends with the gateway', async () => {
  const everything = await startEverything()
  const wanted = { servers: { everything: { url: everything.url } }, rules: RULES }
  const before = await openGateway(wanted)
  const legacy = await before.connect(asAda)
  const [answered, cancelled, left] = [
    await beginTask(legacy, PARAMS),
    await beginTask(legacy, PARAMS),
    await beginTask(legacy, PARAMS),
  ]
  // What the server says of it, not the gateway.
  const { statusMessage, ttl } = await untilStatus(legacy, answered, 'input_required')
  expect([statusMessage, ttl]).toEqual([expect.stringContaining('python'), expect.any(Number)])
  // Another session of the same agent, which is asked while it waits.
  const sdk = await openSdk(before, { interpretation: 'comedy' })
  expect(JSON.stringify(await sdk.result(answered))).toContain('python (comedy)')
  expect(sdk.asked).toHaveLength(1)
  const { status } = await legacy.request('tasks/cancel', { taskId: cancelled })
  expect(status).toBe('cancelled')

  const modern = withTasks(await before.connect({ era: 'modern', ...asAda }))
  const { taskId: kept } = await call(modern, PARAMS.name, RESEARCH)
  await before.close()

  const after = await openGateway({ ...wanted, folder: before.folder })
  const again = await after.connect(asAda)
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    expect(await refusal(again.request(method, { taskId: left }))).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/restarted.* is no longer known\..* call the tool again\.$/),
    })
  const client = withTasks(await after.connect({ era: 'modern', ...asAda }))
  expect(await client.request('tasks/get', { taskId: kept })).toMatchObject({
    status: 'failed',
    statusMessage: expect.stringContaining('The gateway was restarted while this task ran'),
  })
})
