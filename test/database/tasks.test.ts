import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { openReplica } from '../support/open-replica.ts'
import { startTaskServer } from '../support/tasks/start-task-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const CHILD = join(import.meta.dirname, '../support/tasks/task-server.mjs')
const UPSTREAM = join(import.meta.dirname, '../support/upstream.mjs')
const TASKS = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } }

async function connect(url: string): Promise<RawClient> {
  const client = await openHttp('modern', `${url}/mcp?surface=direct`)
  client.capabilities = TASKS
  onTestFinished(async () => client.close().catch(() => undefined))
  return client
}

async function until(client: RawClient, taskId: unknown, status: string): Promise<JsonObject> {
  let task: JsonObject = {}
  const ask = async () => {
    task = await client.request('tasks/get', { taskId })
    return task['status']
  }
  await expect.poll(ask, { timeout: 60_000, interval: 50 }).toBe(status)
  return task
}

it('a task that was made at one replica is asked for at another, wherever it runs', async () => {
  const remote = await startTaskServer({ name: 'remote' })
  const servers = {
    remote: { url: remote.url },
    child: { command: 'node', args: [CHILD, 'child'] },
    plain: { command: 'node', args: [UPSTREAM] },
  }
  const home = tempFolder().path
  const settings = { tasks: { offerAfterMs: 100 } }
  const shared = { servers, settings, home, redisUrl: inject('redisUrl') }
  const a = await openReplica(shared, onTestFinished)
  const b = await openReplica(shared, onTestFinished)
  const [atA, atB] = [await connect(a.url), await connect(b.url)]

  const made = await call(atA, 'remote__slow_compute', { label: 'x' })
  expect((await until(atB, made['taskId'], 'completed'))['taskId']).toBe(made['taskId'])

  // Its process is a child of the first replica; the second has one of its own, with ids of its own.
  const first = await call(atA, 'child__confirm_delete', { filename: 'first' })
  const second = await call(atB, 'child__confirm_delete', { filename: 'second' })
  for (const [task, filename] of [
    [first, 'first'],
    [second, 'second'],
  ] as const)
    for (const client of [atA, atB]) {
      const { inputRequests } = await until(client, task['taskId'], 'input_required')
      expect(JSON.stringify(inputRequests)).toContain(`Delete ${filename}?`)
    }
  const { inputRequests } = await until(atB, first['taskId'], 'input_required')
  const [key = ''] = Object.keys(Object(inputRequests))
  const inputResponses = { [key]: { action: 'accept', content: {} } }
  await atB.request('tasks/update', { taskId: first['taskId'], inputResponses })
  expect(await until(atB, first['taskId'], 'completed')).toMatchObject({
    result: { content: [{ text: 'accept first' }] },
  })

  const held = await call(atA, 'plain__slow', { ms: 3_600_000, steps: 36_000 })
  expect(held['resultType']).toBe('task')
  expect(await until(atB, held['taskId'], 'working')).toMatchObject({ taskId: held['taskId'] })
  await atB.request('tasks/cancel', { taskId: held['taskId'] })
  await until(atA, held['taskId'], 'cancelled')

  await a.die()
  expect(await atB.request('tasks/get', { taskId: held['taskId'] })).toMatchObject({
    status: 'failed',
    statusMessage: expect.stringContaining('The replica that ran this task has ended'),
  })
})
