import { describe, expect, it } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { deferred } from '../../../test/support/deferred.ts'
import {
  DONE,
  EXTENSION,
  WORKING,
  aroundServer,
  legacyTool,
  legacyUpstream,
} from '../../../test/support/tasks/around-server.ts'
import { Canceller, type Signal } from '../../base/flow/signal.ts'
import { missingTasks } from '../../protocol/tasks.ts'
import type { Agent, Authorized, CallResult } from '../call.ts'

describe('a task of the server', () => {
  it('has an id of the gateway, by which it is asked for on the connection that made it', async () => {
    const places: unknown[] = []
    const { handle, ask, sent } = aroundServer(async ({ method, place }) => {
      if (method === 'tools/call' && place) place.connection = 'c7'
      else places.push(place)
      return method === 'tools/call' ? { ...WORKING, resultType: 'task' } : WORKING
    })
    const { taskId, ...created } = await handle()
    expect(created).toMatchObject({ resultType: 'task', status: 'working' })
    expect(taskId).not.toBe('u1')
    expect(await ask('tasks/get', taskId)).toMatchObject({ taskId, status: 'working' })
    expect(sent.at(-1)).toEqual(['tasks/get', { taskId: 'u1' }])
    expect(places).toEqual([{ connection: 'c7' }])
  })

  it('does not exist for another agent', async () => {
    const { handle, ask, sent } = aroundServer(async () => ({ ...WORKING, resultType: 'task' }))
    const { taskId } = await handle()
    const refused = async (id: unknown, agent: Agent) =>
      ask('tasks/get', id, { agent }).catch((error: unknown) => error)
    const unknown = await refused('pt_x', { id: 'ada', proof: 'key' })
    expect(unknown).toMatchObject({ code: -32602 })
    expect(await refused(taskId, { id: 'bob', proof: 'key' })).toEqual(unknown)
    expect(await refused(taskId, { id: 'ada', proof: 'claim' }), 'a mere claim').toEqual(unknown)
    expect(sent).toHaveLength(1)
  })
})

describe('a client without tasks', () => {
  const plain = aClient()

  it('gets the result of a task that its server insists on', async () => {
    let polls = 0
    const { handle } = aroundServer(async ({ method, client }) => {
      if (!('extensions' in client.capabilities)) throw missingTasks()
      if (method === 'tools/call') return { ...WORKING, resultType: 'task' }
      polls += 1
      return polls < 3 ? WORKING : { ...WORKING, status: 'completed', result: DONE }
    })
    expect(await handle({ client: plain })).toEqual(DONE)
  })

  it('gets the error of the server where the gateway does not wait', async () => {
    const { handle } = aroundServer(async () => Promise.reject(missingTasks()), { wait: false })
    await expect(handle({ client: plain })).rejects.toMatchObject({ code: -32021 })
  })

  it('is asked what the task asks, each question once', async () => {
    const questions = { q: { method: 'elicitation/create', params: { message: 'sure?' } } }
    const given: unknown[] = []
    let polls = 0
    const { handle } = aroundServer(async ({ method, params, client }) => {
      if (!('extensions' in client.capabilities)) throw missingTasks()
      if (method === 'tools/call') return { ...WORKING, resultType: 'task' }
      if (method === 'tasks/update') return (given.push(params['inputResponses']), {})
      polls += 1
      if (polls > 3) return { ...WORKING, status: 'completed', result: DONE }
      return { ...WORKING, status: 'input_required', inputRequests: questions }
    })
    const asking = aClient({
      capabilities: { elicitation: {} },
      request: async () => ({ action: 'accept' }),
    })
    expect(await handle({ client: asking })).toEqual(DONE)
    expect(given).toEqual([{ q: { action: 'accept' } }])
  })

  it('cancels the task when it leaves', async () => {
    const cancelled = deferred<unknown>()
    const leaving = new Canceller()
    const { handle } = aroundServer(async ({ method, params, client }) => {
      if (!('extensions' in client.capabilities)) throw missingTasks()
      if (method === 'tools/call') return { ...WORKING, resultType: 'task' }
      if (method === 'tasks/cancel') cancelled.resolve(params['taskId'])
      else leaving.abort(new Error('left'))
      return WORKING
    })
    await expect(handle({ client: plain, signal: leaving })).rejects.toThrow('left')
    expect(await cancelled.promise).toBe('u1')
  })

  it('waits for a tool of 2025-11-25 that runs as a task only', async () => {
    const { handle, sent } = aroundServer(async ({ method }) =>
      method === 'tools/call' ? { task: { taskId: 'u1', status: 'working' } } : DONE,
    )
    const parts = { client: plain, upstream: legacyUpstream, tool: legacyTool }
    expect(await handle(parts)).toEqual(DONE)
    expect(sent).toMatchObject([
      ['tools/call', { task: {} }],
      ['tasks/result', { taskId: 'u1' }],
    ])
  })
})

describe('a task that the gateway keeps', () => {
  const offering = { offerAfterMs: 1 }

  it('is made of a call that takes long, and gives its result', async () => {
    const work = deferred<CallResult>()
    const { handle, ask } = aroundServer(async () => work.promise, offering)
    const { taskId, resultType } = await handle()
    expect(resultType).toBe('task')
    expect(await ask('tasks/get', taskId)).toMatchObject({ status: 'working' })
    work.resolve(DONE)
    await expect
      .poll(async () => ask('tasks/get', taskId), { timeout: 10_000 })
      .toMatchObject({ result: DONE })
  })

  it('is not made of a quick call, of a client without tasks, or where nobody asked for it', async () => {
    const { handle } = aroundServer(async () => DONE, { offerAfterMs: 60_000 })
    expect(await handle()).toEqual(DONE)
    const work = deferred<CallResult>()
    const slow = aroundServer(async () => work.promise, offering)
    const never = aroundServer(async () => work.promise)
    const waiting = Promise.all([slow.handle({ client: aClient() }), never.handle()])
    work.resolve(DONE)
    expect(await waiting).toEqual([DONE, DONE])
  })

  it('asks what its server asks late, and calls it again with the answers', async () => {
    const first = deferred<CallResult>()
    const { handle, ask, sent } = aroundServer(
      async ({ params }) => ('inputResponses' in params ? DONE : first.promise),
      offering,
    )
    const client = aClient({ capabilities: { ...EXTENSION, elicitation: {} } })
    const { taskId } = await handle({ client, params: { name: 'work' } })
    const question = { method: 'elicitation/create', params: { message: 'Sure?' } }
    first.resolve({
      resultType: 'input_required',
      inputRequests: { sure: question },
      requestState: 's',
    })
    const get = async () => ask('tasks/get', taskId, { client })
    await expect.poll(get).toMatchObject({ status: 'input_required' })
    const [[key, asked] = []] = Object.entries(Object((await get())['inputRequests']))
    expect(asked).toEqual(question)
    const params = { taskId, inputResponses: { [String(key)]: { action: 'accept' } } }
    await handle({ client, method: 'tasks/update', params })
    await expect.poll(get).toMatchObject({ status: 'completed', result: DONE })
    const inputResponses = { sure: { action: 'accept' } }
    expect(sent.map(([, sentParams]) => sentParams)).toEqual([
      { name: 'work' },
      { name: 'work', inputResponses, requestState: 's' },
    ])
  })

  it('fails with the error of its call, and is cancelled with it', async () => {
    const work = deferred<Error>()
    const seen: Authorized[] = []
    const { handle, ask } = aroundServer(async (call) => {
      seen.push(call)
      throw await work.promise
    }, offering)
    const [failing, cancelled] = [await handle(), await handle()]
    await ask('tasks/cancel', cancelled['taskId'])
    expect(seen.map(({ signal }) => signal.aborted)).toEqual([false, true])
    work.resolve(missingTasks())
    await expect
      .poll(async () => ask('tasks/get', failing['taskId']), { timeout: 10_000 })
      .toMatchObject({ status: 'failed', error: { code: -32021 } })
    expect(await ask('tasks/get', cancelled['taskId'])).toMatchObject({ status: 'cancelled' })
  })

  it('waits for its result with a client of 2025-11-25', async () => {
    const work = deferred<CallResult>()
    const { handle, ask } = aroundServer(async () => work.promise, offering)
    const client = aClient({ era: 'legacy' })
    const { task } = await handle({ client, params: { name: 'work', task: { ttl: 5000 } } })
    expect(task).toMatchObject({ status: 'working', ttl: 5000 })
    const { taskId } = Object(task)
    const result = ask('tasks/result', taskId, { client })
    work.resolve({ ...DONE, isError: true })
    expect(await result).toMatchObject({
      ...DONE,
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    })
    expect(await ask('tasks/get', taskId, { client })).toMatchObject({
      status: 'failed',
      ttl: 5000,
    })
    await expect(ask('tasks/cancel', taskId, { client })).rejects.toMatchObject({ code: -32602 })
  })

  it('is refused to a client of 2025-11-25 for a tool without tasks', async () => {
    const { handle } = aroundServer(async () => DONE)
    const client = aClient({ era: 'legacy' })
    await expect(handle({ client, params: { name: 'work', task: {} } })).rejects.toMatchObject({
      code: -32601,
    })
  })
})

it('a task is polled until its request is cancelled, and cancelled by a request that is not', async () => {
  const leaving = new Canceller()
  const cancelled = deferred<boolean[]>()
  const polls: Signal[] = []
  const { handle } = aroundServer(async ({ method, signal }) => {
    if (method === 'tools/call') return { task: { taskId: 'u1', status: 'working' } }
    if (method === 'tasks/cancel')
      cancelled.resolve([...polls, signal].map(({ aborted }) => aborted))
    else {
      polls.push(signal)
      leaving.abort(new Error('left'))
      throw new Error('left')
    }
    return {}
  })
  const call = handle({
    client: aClient(),
    upstream: legacyUpstream,
    tool: legacyTool,
    signal: leaving,
  })
  await expect(call).rejects.toThrow('left')
  expect(await cancelled.promise).toEqual([true, false])
})
