import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { auditOf } from '../support/audit-of.ts'
import { untilStatus as until, withTasks } from '../support/clients/extensions.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, execute, refusal, textOf } from '../support/clients/talk.ts'
import { type ConnectOptions, type Opened, openGateway } from '../support/open-gateway.ts'
import { startTaskServer } from '../support/tasks/start-task-server.ts'

const EVERYTHING = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)
const STDIO = join(import.meta.dirname, '../support/tasks/task-server.mjs')
const UPSTREAM = join(import.meta.dirname, '../support/upstream.mjs')
const LONG_MS = 60_000

/** A modern client that declares the extension. */
async function connect(gateway: Opened, options: ConnectOptions = {}): Promise<RawClient> {
  return withTasks(await gateway.connect({ era: 'modern', ...options }))
}

it('tasks of two servers with the same ids are never mixed, whichever way they were made', async () => {
  const one = await startTaskServer({ name: 'one', counting: true })
  const two = await startTaskServer({ name: 'two', counting: true })
  const gateway = await openGateway({
    servers: {
      one: { url: one.url },
      two: { url: two.url },
      three: { command: 'node', args: [STDIO, 'three'] },
    },
  })
  const client = await connect(gateway)
  const made = {
    one: await call(client, 'one__slow_compute', { label: 'a' }),
    two: await execute(client, 'two', 'slow_compute', { label: 'b' }),
    three: await execute(client, 'three', 'slow_compute', { label: 'c' }),
  }
  expect([...one.ids(), ...two.ids()]).toEqual(['task-1', 'task-1'])
  const ids = Object.values(made).map(({ taskId }) => taskId)
  expect(new Set(ids).size).toBe(3)
  // Another connection of the same caller: its client may have been restarted.
  const again = await connect(gateway)
  for (const [server, { resultType, taskId }] of Object.entries(made)) {
    expect(resultType).toBe('task')
    expect(taskId).not.toContain('task-1')
    const task = await until(again, taskId, 'completed')
    expect(task).toMatchObject({ taskId, result: { _meta: { server } } })
  }
  const recorded = () =>
    auditOf(gateway).map(({ operation, metadata }) => [operation, Object(metadata).server])
  for (const server of Object.keys(made))
    await expect.poll(recorded, { timeout: LONG_MS }).toContainEqual(['tasks/get', server])
})

it('a task belongs to its caller, and ends with its right to the tool', async () => {
  const { url } = await startTaskServer()
  const allowed = { allow: { servers: ['*'] } }
  const gateway = await openGateway({
    servers: { jobs: { url } },
    rules: { agents: { ada: allowed, bob: allowed } },
  })
  const ada = await connect(gateway, { headers: { 'x-agent-id': 'ada' } })
  const bob = await connect(gateway, { headers: { 'x-agent-id': 'bob' } })
  const { taskId } = await call(ada, 'slow_compute', { seconds: 3600 })
  const unknown = await refusal(bob.request('tasks/get', { taskId: 'pt_unknown' }))
  expect(unknown).toMatchObject({ code: -32602 })
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    expect(await refusal(bob.request(method, { taskId, inputResponses: {} }))).toEqual(unknown)
  expect(await ada.request('tasks/get', { taskId })).toMatchObject({ status: 'working' })

  const denied = { ...allowed, deny: { tools: { jobs: ['slow_*'] } } }
  gateway.folder.write('.mcp-gateway-rules.json', { agents: { ada: denied, bob: allowed } })
  await expect
    .poll(
      async () =>
        ada.request('tasks/get', { taskId }).then(
          () => 'allowed',
          ({ code }) => code,
        ),
      {
        timeout: LONG_MS,
      },
    )
    .toBe(-32000)
})

it('a client without tasks waits for the result, and is asked what the task asks', async () => {
  const { url, ids } = await startTaskServer()
  const gateway = await openGateway({ servers: { jobs: { url } } })
  for (const era of ['legacy', 'modern'] as const) {
    const client = await gateway.connect({ era })
    const result = await call(client, 'failing_job')
    expect(result).toMatchObject({ isError: true, content: [{ text: 'the job went wrong' }] })
    const asked = await call(client, 'test_tool_with_task')
    expect(textOf(asked)).toBe('done for Ada')
  }
  expect(ids()).toHaveLength(4)
})

it('a client of 2025-11-25 gets tasks of a server of 2026-07-28', async () => {
  const { url } = await startTaskServer()
  const gateway = await openGateway({ servers: { jobs: { url } } })
  const client = await openSdk(gateway, 'direct')
  const confirmed = await callAsTask(client, 'confirm_delete', { filename: 'x.txt' })
  expect(confirmed.statuses).toContain('input_required')
  expect(confirmed.result).toMatchObject({ content: [{ text: 'accept x.txt' }] })
  const failed = await callAsTask(client, 'protocol_error_job', {})
  expect(failed.statuses.at(-1)).toBe('failed')
  expect(failed.error).toContain('failed')
})

it('a server of 2025-11-25 gives tasks to clients of both eras, and results to those without', async () => {
  const gateway = await openGateway({
    servers: { everything: { command: 'node', args: [EVERYTHING] } },
  })
  const research = { topic: 'python', ambiguous: true }

  async function asModern() {
    const client = await connect(gateway)
    // This server asks for roots by itself soon after its start, and that would be a question of the task too.
    const { roots: _roots, ...others } = client.capabilities
    client.capabilities = others
    const created = await call(client, 'simulate-research-query', research)
    expect(created).toMatchObject({ resultType: 'task', status: 'working' })
    const { taskId } = created
    const { inputRequests } = await until(client, taskId, 'input_required')
    const [[key, question] = []] = Object.entries(Object(inputRequests))
    expect(question).toMatchObject({ method: 'elicitation/create' })
    const answer = { action: 'accept', content: { interpretation: 'snakes' } }
    await client.request('tasks/update', { taskId, inputResponses: { [String(key)]: answer } })
    const { result } = await until(client, taskId, 'completed')
    expect(textOf(Object(result))).toContain('python (snakes)')
  }

  async function asLegacy() {
    const sdk = await openSdk(gateway, 'discover')
    const args = { server: 'everything', tool: 'simulate-research-query', args: research }
    const { result } = await callAsTask(sdk, 'execute_tool', args)
    expect(JSON.stringify(result)).toContain('python (snakes)')
  }

  async function withoutTasks() {
    const plain = await gateway.connect({ era: 'modern', mute: true })
    const waited = await call(plain, 'simulate-research-query', { topic: 'python' })
    expect(textOf(waited)).toContain('Research Report: python')
  }

  // One after the other: a server of that era cannot say which of several clients it asks.
  await asModern()
  await asLegacy()
  await withoutTasks()
})

it('a task goes on when the session of its client ends, also where that had a process of its own', async () => {
  const gateway = await openGateway({
    servers: { everything: { command: 'node', args: [EVERYTHING], session: 'per-session' } },
  })
  const first = await gateway.connect({ era: 'legacy', mute: true })
  const { task } = await first.request('tools/call', {
    name: 'simulate-research-query',
    arguments: { topic: 'ships' },
    task: {},
  })
  const headers = { 'mcp-session-id': first.sessionId ?? '' }
  const ended = await fetch(`${gateway.url}/mcp?surface=direct`, { method: 'DELETE', headers })
  expect(ended.ok).toBe(true)
  const second = await gateway.connect({ era: 'legacy', mute: true })
  const { taskId } = Object(task)
  const result = await second.request('tasks/result', { taskId })
  expect(textOf(result)).toContain('Research Report: ships')
})

it('a call that takes long is offered as a task, where the settings say so', async () => {
  const gateway = await openGateway({
    servers: { slow: { command: 'node', args: [UPSTREAM] } },
    settings: { tasks: { offerAfterMs: 200 }, surface: 'direct' },
  })
  const client = await connect(gateway)
  // The first calls start the server, which may take longer.
  await expect
    .poll(async () => textOf(await call(client, 'echo', { text: 'quick' })), { timeout: 30_000 })
    .toBe('quick')
  const { taskId, resultType } = await call(client, 'slow', { ms: 1500, steps: 3 })
  expect(resultType).toBe('task')
  const other = await connect(gateway)
  const task = await until(other, taskId, 'completed')
  expect(task['result']).toMatchObject({ content: [{ text: 'slept 1500 ms' }] })

  const long = await call(client, 'slow', { ms: 3_600_000, steps: 3600 })
  expect(await client.request('tasks/cancel', long)).toEqual({ resultType: 'complete' })
  expect(await until(client, long['taskId'], 'cancelled')).not.toHaveProperty('result')

  const plain = await gateway.connect({ era: 'modern', mute: true })
  expect(textOf(await call(plain, 'slow', { ms: 600 }))).toBe('slept 600 ms')
})

it('a client that listens is told how its task goes on', async () => {
  const { url } = await startTaskServer()
  const gateway = await openGateway({ servers: { jobs: { url } } })
  const client = await connect(gateway)
  const { taskId } = await call(client, 'confirm_delete', { filename: 'x' })
  const foreign = 'pt_somebody_elses'
  client
    .request('subscriptions/listen', { notifications: { taskIds: [taskId, foreign] } })
    .catch(() => undefined)
  const heard = (method: string) =>
    client.heard.filter((one) => one.method === method).map(({ params }) => params)
  const statuses = () => heard('notifications/tasks').map(({ status }) => status)
  await expect.poll(statuses, { timeout: LONG_MS }).toContain('input_required')
  expect(heard('notifications/subscriptions/acknowledged')).toMatchObject([
    { notifications: { taskIds: [taskId] } },
  ])
  await client.request('tasks/cancel', { taskId })
  await expect.poll(statuses, { timeout: LONG_MS }).toContain('cancelled')
  expect(heard('notifications/tasks').every((task) => task['taskId'] === taskId)).toBe(true)
})

/** The client of version 1 of the official SDK, which knows the tasks of 2025-11-25. */
async function openSdk(gateway: Opened, surface: string): Promise<Client> {
  const client = new Client(
    { name: 'suite', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler(ElicitRequestSchema, () => ({
    action: 'accept',
    content: { interpretation: 'snakes' },
  }))
  const url = new URL(`${gateway.url}/mcp?surface=${surface}`)
  await client.connect(new StreamableHTTPClientTransport(url))
  onTestFinished(async () => client.close())
  return client
}

async function callAsTask(client: Client, name: string, args: JsonObject) {
  // It reads from the list which tools can be called as tasks.
  await client.listTools()
  const statuses: string[] = []
  const stream = client.experimental.tasks.callToolStream(
    { name, arguments: args },
    CallToolResultSchema,
    { task: {} },
  )
  for await (const message of stream) {
    if (message.type === 'taskCreated' || message.type === 'taskStatus')
      statuses.push(message.task.status)
    else if (message.type === 'result') return { statuses, result: message.result }
    else return { statuses, error: message.error.message }
  }
  throw new Error('the stream ended without a result')
}
