import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import {
  beginTask,
  taskResult,
  untilStatus as until,
  withTasks,
} from '../support/clients/extensions.ts'
import { call, textOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'
import { startTaskServer } from '../support/tasks/start-task-server.ts'

const STDIO = join(import.meta.dirname, '../support/tasks/task-server.mjs')
const LONG_MS = 60_000

it.each([
  ['legacy', 'modern'],
  ['modern', 'legacy'],
] as const)(
  'a tool of both eras that runs as a task only is waited for, listed in the %s era and called in the %s one',
  async (first, second) => {
    const remote = await startHttpUpstream('--era', 'both', '--extras')
    onTestFinished(async () => remote.close())
    const child = stdioUpstream('--era', 'both', '--extras')
    const gateway = await openGateway({ servers: { remote: { url: remote.url }, child } })
    for (const era of [first, second]) {
      const client = await gateway.connect({ era })
      for (const server of ['remote', 'child']) {
        expect(textOf(await call(client, `${server}__job`))).toBe('done by test-upstream')
        const taskId = await beginTask(client, { name: `${server}__job`, arguments: {} })
        expect(textOf(await taskResult(client, taskId))).toBe('done by test-upstream')
      }
    }
  },
)

it('after a restart of the gateway, tasks of remote servers of 2026-07-28 go on and all others have failed', async () => {
  const { url } = await startTaskServer({ name: 'remote' })
  const old = await startHttpUpstream('--era', 'legacy', '--extras')
  onTestFinished(async () => old.close())
  const servers = {
    remote: { url },
    old: { url: old.url },
    child: { command: 'node', args: [STDIO, 'child'] },
    plain: stdioUpstream(),
  }
  const settings = { tasks: { offerAfterMs: 200 } }
  const before = await openGateway({ servers, settings })
  const modern = withTasks(await before.connect({ era: 'modern' }))
  const legacy = await before.connect({ era: 'legacy' })
  const asked = await call(modern, 'remote__confirm_delete', { filename: 'x' })
  const job = { ms: 3000 }
  const ofOld = await beginTask(modern, { name: 'old__job', arguments: job })
  const compute = { name: 'remote__slow_compute', arguments: { seconds: 3, label: 'y' } }
  const kept = await beginTask(legacy, compute)
  const ofChild = await call(modern, 'child__slow_compute', { seconds: 3600 })
  const held = await call(modern, 'plain__slow', { ms: 3_600_000, steps: 3600 })
  expect([ofChild, held].map(({ resultType }) => resultType)).toEqual(['task', 'task'])
  before.child.kill('SIGKILL')
  await once(before.child, 'exit')

  const gateway = await openGateway({ servers, settings, folder: before.folder })
  const client = withTasks(await gateway.connect({ era: 'modern' }))
  const { inputRequests } = await until(client, asked['taskId'], 'input_required')
  const [key = ''] = Object.keys(Object(inputRequests))
  const inputResponses = { [key]: { action: 'accept', content: {} } }
  await client.request('tasks/update', { taskId: asked['taskId'], inputResponses })
  const { result } = await until(client, asked['taskId'], 'completed')
  expect(textOf(Object(result))).toBe('accept x')
  const again = await gateway.connect({ era: 'legacy' })
  await expect(again.request('tasks/result', { taskId: kept })).rejects.toThrow('restarted')

  // The new process of the server counts its tasks from one again.
  const other = await call(client, 'child__slow_compute', { seconds: 3600 })
  expect(await client.request('tasks/get', { taskId: other['taskId'] })).toMatchObject({
    status: 'working',
  })
  for (const { taskId } of [ofChild, held, { taskId: ofOld }]) {
    const lost = await client.request('tasks/get', { taskId })
    expect(lost).toMatchObject({ taskId, status: 'failed' })
    expect(lost['statusMessage']).toContain('The gateway was restarted while this task ran')
    await expect(again.request('tasks/result', { taskId })).rejects.toThrow('restarted')
    await client.request('tasks/cancel', { taskId })
  }
  expect(await client.request('tasks/get', { taskId: other['taskId'] })).toMatchObject({
    status: 'working',
  })
})

it('a task of a process that has ended has failed, and is not that of the next process', async () => {
  const child = stdioUpstream('--era', 'modern', '--extras')
  const gateway = await openGateway({ servers: { child } })
  const client = withTasks(await gateway.connect({ era: 'modern' }))
  const lost = await call(client, 'job', { ms: 3_600_000 })
  await call(client, 'crash').catch(() => undefined)
  let next: JsonObject = {}
  const started = async () => {
    next = await call(client, 'job', { ms: 3_600_000 })
    return next['resultType']
  }
  await expect.poll(started, { timeout: LONG_MS }).toBe('task')
  const { taskId } = lost
  const task = await client.request('tasks/get', { taskId })
  expect(task).toMatchObject({ taskId, status: 'failed' })
  expect(task['statusMessage']).toContain(
    'The connection to the server that ran this task has ended',
  )
  await client.request('tasks/cancel', { taskId })
  const running = await client.request('tasks/get', { taskId: next['taskId'] })
  expect(running).toMatchObject({ status: 'working' })
})
