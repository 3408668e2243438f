import { describe, expect, it, vi } from 'vitest'
import { aCall, aClient, aListing, anUpstream } from '../../../test/support/a-call.ts'
import { deferred } from '../../../test/support/deferred.ts'
import {
  DONE,
  EXTENSION,
  WORKING,
  aroundServer,
  legacyTool,
  legacyUpstream,
  modernUpstream,
  tool,
} from '../../../test/support/tasks/around-server.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { Authorized, CallResult } from '../call.ts'
import { createTaskIds } from '../tasks/task-ids.ts'
import { Tasks } from '../tasks/tasks.ts'
import type { Tool, Upstream } from '../upstream.ts'
import { taskRequests } from './task-requests.ts'
import { offersTasks, tasks } from './tasks.ts'

const notFound = () => new RpcError(RPC.methodNotFound, 'Only as a task')

const refusing = async ({ method, params }: Authorized) => {
  if (method !== 'tools/call') return DONE
  if (!('task' in params)) throw notFound()
  return { task: { taskId: 'u1', status: 'working' } }
}

const tasksOf = (taskSupport: unknown) => ({
  ...tool,
  definition: { name: 'work', execution: { taskSupport } },
})

describe('which calls become tasks', () => {
  it('none that is no call of a tool', async () => {
    const { handle, sent } = aroundServer(async () => DONE, { offerAfterMs: 1 })
    expect(await handle({ method: 'prompts/get' })).toBe(DONE)
    expect(await handle({ tool: undefined, params: { name: 'x', task: {} } })).toBe(DONE)
    expect(sent.map(([method]) => method)).toEqual(['prompts/get', 'tools/call'])
  })

  it('none where the client has no room left, or the server has tasks of its own', async () => {
    const full = aroundServer(async () => DONE, { offerAfterMs: 0 })
    vi.spyOn(full.state.held, 'hasRoomFor').mockImplementation((owner) => owner.includes('bob'))
    const signals: unknown[] = []
    const handle = tasks(full.state, { wait: true, ttlMs: 1, offerAfterMs: 60_000 })(async ({
      signal,
      upstream,
    }) => {
      signals.push(upstream.name, signal)
      return DONE
    })
    const bob = { id: 'bob', proof: 'key' } as const
    const calls = [
      aCall({ tool, client: aClient({ capabilities: EXTENSION }) }),
      aCall({ tool, agent: bob, client: aClient({ capabilities: EXTENSION }) }),
      aCall({
        tool,
        agent: bob,
        client: aClient({ capabilities: EXTENSION }),
        upstream: modernUpstream(),
      }),
    ]
    for (const call of calls) expect(await handle(call)).toBe(DONE)
    // A call that may become one goes on without its request, and so has a signal of its own.
    const own = calls.map(({ signal }, at) => signal !== signals[2 * at + 1])
    expect(own).toEqual([false, true, false])
  })

  it('none of a client without room that asks for one, or whose server would make one', async () => {
    const { state, handle, sent } = aroundServer(refusing, { offerAfterMs: 1 })
    vi.spyOn(state.held, 'hasRoomFor').mockReturnValue(false)
    const legacy = aClient({ era: 'legacy' })
    const params = { name: 'work', task: {} }
    await expect(handle({ client: legacy, params })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { hint: 'Wait until some have, or call the tool without a task.' },
    })
    expect(sent).toEqual([])
    expect(await handle({ tool: legacyTool, upstream: legacyUpstream })).toEqual(DONE)
    expect(sent.map(([method]) => method)).toEqual(['tools/call', 'tasks/result'])
    expect(state.held.size).toBe(0)
  })

  it('an ordinary result of a server with tasks stays one', async () => {
    const { handle } = aroundServer(async () => DONE)
    expect(await handle({ upstream: modernUpstream() })).toBe(DONE)
  })

  it('none of a client that asks in the way of the other era', async () => {
    const { handle } = aroundServer(async () => DONE)
    expect(await handle({ params: { name: 'work', task: {} } })).toBe(DONE)
    const client = aClient({ era: 'legacy', capabilities: EXTENSION })
    expect(await handle({ client, params: { name: 'work' } })).toBe(DONE)
    const created = { ...WORKING, resultType: 'task' }
    const other = aroundServer(async () => created)
    expect(await other.handle({ client, params: { name: 'work' } }), 'as it is').toBe(created)
  })

  it('those that a client of 2025-11-25 may ask for', () => {
    const options = { wait: true, ttlMs: 1 }
    const offered = (upstream: Upstream, of: Tool | undefined, more = {}) =>
      offersTasks(upstream, of, { ...options, ...more })
    expect(offered(anUpstream(), tool)).toBe(false)
    expect(offered(anUpstream(), tool, { offerAfterMs: 1 })).toBe(true)
    expect(offered(modernUpstream(), undefined)).toBe(true)
    expect(offered(legacyUpstream, undefined)).toBe(false)
    expect(offered(anUpstream(), legacyTool), 'of a server without tasks').toBe(false)
    const supported = ['required', 'optional', 'forbidden', undefined].map((support) =>
      offered(legacyUpstream, tasksOf(support)),
    )
    expect(supported).toEqual([true, true, false, false])
    expect(offered(legacyUpstream, tool)).toBe(false)
    for (const capabilities of [
      { tasks: {} },
      { tasks: 7 },
      { tasks: { requests: { tools: {} } } },
    ])
      expect(
        offered(anUpstream({ listing: { ...aListing('echo'), capabilities } }), legacyTool),
      ).toBe(false)
  })
})

describe('a task for a client of 2025-11-25', () => {
  const client = aClient({ era: 'legacy' })
  const asking = { client, params: { name: 'work', task: { ttl: 5000 } } }

  it('is a call that goes on here where its server has none', async () => {
    const work = deferred<CallResult>()
    const { handle, ask, sent } = aroundServer(async () => work.promise, { offerAfterMs: 60_000 })
    const { task } = await handle(asking)
    expect(task).toMatchObject({ status: 'working', ttl: 5000 })
    expect(task).not.toHaveProperty('resultType')
    expect(sent).toEqual([['tools/call', { name: 'work' }]])
    work.resolve(DONE)
    const result = await ask('tasks/result', Object(task).taskId, { client })
    expect(result).toMatchObject(DONE)
  })

  it('is asked of a server of the extension in its own form', async () => {
    const declared: unknown[] = []
    const { handle, ask, sent } = aroundServer(async ({ method, client: seen }) => {
      declared.push(seen.capabilities)
      if (method === 'tools/call') return { ...WORKING, resultType: 'task' }
      return { ...WORKING, status: 'completed', result: DONE }
    })
    const upstream = modernUpstream()
    const { task } = await handle({ ...asking, upstream })
    const result = await ask('tasks/result', Object(task).taskId, { client, upstream })
    expect(result).toMatchObject(DONE)
    expect(sent[0]).toEqual(['tools/call', { name: 'work' }])
    expect(declared[0]).toEqual(EXTENSION)
  })

  it('is asked again as one where a server of both eras wants that', async () => {
    const { handle, sent } = aroundServer(async ({ params }) => {
      if (!('task' in params)) throw notFound()
      return { task: { taskId: 'u1', status: 'working' } }
    })
    await handle({ ...asking, upstream: modernUpstream() })
    expect(sent).toEqual([
      ['tools/call', { name: 'work' }],
      ['tools/call', { name: 'work', task: { ttl: 5000 } }],
    ])
  })

  it('is refused with the error of its server otherwise', async () => {
    const both = { capabilities: { ...EXTENSION, tasks: {} } }
    const refusals: [Error, Upstream][] = [
      [new RpcError(-32_001, 'refused'), modernUpstream()],
      [new TypeError('down'), modernUpstream()],
      [notFound(), modernUpstream({ listing: { ...aListing('echo'), ...both } })],
    ]
    for (const [error, upstream] of refusals) {
      const { handle, sent } = aroundServer(async () => Promise.reject(error))
      await expect(handle({ ...asking, upstream })).rejects.toBe(error)
      expect(sent).toHaveLength(1)
    }
  })

  it('is one even of a server that answers at once', async () => {
    const { handle, ask } = aroundServer(async () => DONE)
    for (const kind of ['stdio', 'http'] as const) {
      const { task } = await handle({ ...asking, upstream: modernUpstream({ kind }) })
      const result = await ask('tasks/result', Object(task).taskId, { client })
      expect(result).toMatchObject(DONE)
    }
  })
})

describe('a task of a server of 2025-11-25 for a client of that revision', () => {
  const RELATED = 'io.modelcontextprotocol/related-task'
  const theirs = { taskId: 'u1', status: 'working', ttl: 9, statusMessage: 'half' }

  it('is passed on as it is, and asked for on the connection that made it', async () => {
    const places: unknown[] = []
    const asked: unknown[] = []
    const { state, handle, ask, sent } = aroundServer(async (call) => {
      const { method, place } = call
      if (method === 'tools/call' && place) place.connection = '1 c7'
      places.push(place)
      if (method === 'tools/call') return { task: theirs, _meta: { kept: true } }
      if (method !== 'tasks/result') return theirs
      const question = { message: 'Sure?', _meta: { [RELATED]: { taskId: 'u1' } } }
      return { ...DONE, answer: await call.client.request('elicitation/create', question) }
    })
    const client = aClient({
      era: 'legacy',
      request: async (...[method, params]) => {
        asked.push([method, params])
        return { action: 'accept' }
      },
    })
    const parts = { client, upstream: legacyUpstream, tool: legacyTool }
    const made = await handle({ ...parts, params: { name: 'work', task: { ttl: 5 } } })
    const { taskId } = Object(made['task'])
    expect(made).toEqual({ task: { ...theirs, taskId }, _meta: { kept: true } })
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect(await ask(method, taskId, parts)).toEqual({ ...theirs, taskId })
    const related = { _meta: { [RELATED]: { taskId } } }
    expect(await ask('tasks/result', taskId, parts)).toEqual({
      ...DONE,
      answer: { action: 'accept' },
      ...related,
    })
    expect(asked).toEqual([['elicitation/create', { message: 'Sure?', ...related }]])
    expect(sent).toEqual([
      ['tools/call', { name: 'work', task: { ttl: 5 } }],
      ...['tasks/get', 'tasks/cancel', 'tasks/result'].map((name) => [name, { taskId: 'u1' }]),
    ])
    expect(places).toEqual(Array.from({ length: 4 }, () => ({ connection: '1 c7' })))
    expect(state.held.size).toBe(0)
  })
})

describe('a server of 2025-11-25 behind a client of the extension', () => {
  const parts = { upstream: legacyUpstream, tool: legacyTool, params: { name: 'work' } }

  it('has a task of the gateway, which waits for that of the server', async () => {
    const work = deferred<CallResult>()
    const over: unknown[] = []
    const state = new Tasks({ ids: createTaskIds(() => Buffer.alloc(32, 7)) })
    const places: unknown[] = []
    const layer = tasks(state, { wait: true, ttlMs: 60_000 }, (call) => over.push(call.params))
    const handle = taskRequests(state)(
      layer(async ({ method, place }) => {
        if (method !== 'tools/call') return (places.push(place), work.promise)
        if (place) place.connection = 'c7'
        return { task: { taskId: 'u1', status: 'working' } }
      }),
    )
    const client = aClient({ capabilities: EXTENSION })
    const { taskId, resultType } = await handle(aCall({ client, ...parts }))
    expect(resultType).toBe('task')
    expect(state.ids.open(taskId)).toMatchObject({ upstreamId: '', run: state.run })
    expect(over, 'it goes on').toEqual([])
    work.resolve(DONE)
    const get = async () => handle(aCall({ client, method: 'tasks/get', params: { taskId } }))
    await expect.poll(get, { timeout: 10_000 }).toMatchObject({ result: DONE })
    expect(places).toEqual([{ connection: 'c7' }])
    await expect.poll(() => over, { timeout: 10_000 }).toEqual([{ name: 'work' }])
  })

  it('may answer at once, and then there is no task', async () => {
    const { handle, sent } = aroundServer(async () => DONE)
    expect(await handle(parts)).toBe(DONE)
    expect(sent).toEqual([['tools/call', { name: 'work', task: {} }]])
  })
})

describe('a client without tasks before a server of both eras', () => {
  const upstream = modernUpstream()

  it('gets the result of the task that the server wants', async () => {
    const { handle, sent } = aroundServer(refusing)
    expect(await handle({ client: aClient(), upstream })).toEqual(DONE)
    expect(sent.map(([method]) => method)).toEqual(['tools/call', 'tools/call', 'tasks/result'])
  })

  it('gets the error where the gateway does not wait, or the server has no tasks', async () => {
    const impatient = aroundServer(refusing, { wait: false })
    await expect(impatient.handle({ client: aClient(), upstream })).rejects.toThrow('Only as')
    const other = aroundServer(refusing)
    await expect(other.handle({ client: aClient() })).rejects.toThrow('Only as a task')
    expect([impatient.sent.length, other.sent.length]).toEqual([1, 1])
    const required = aroundServer(async () => DONE, { wait: false })
    await required.handle({ client: aClient(), upstream: legacyUpstream, tool: legacyTool })
    expect(required.sent[0]?.[1], 'sent as it is').not.toHaveProperty('task')
  })
})
