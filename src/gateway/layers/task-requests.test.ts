import { describe, expect, it, vi } from 'vitest'
import { aCall, aClient } from '../../../test/support/a-call.ts'
import { Canceller } from '../../base/flow/signal.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import type { Authorized } from '../call.ts'
import { HeldTask } from '../tasks/held-task.ts'
import { TaskLost } from '../tasks/lost-task.ts'
import { type TaskRef, createTaskIds } from '../tasks/task-ids.ts'
import { type TaskRelay, Tasks } from '../tasks/tasks.ts'
import { taskRequests } from './task-requests.ts'

const OWNER = 'agent:ada|ada'
const DONE = { content: [] }
const ids = createTaskIds(() => Buffer.alloc(32, 7))
const legacy = aClient({ era: 'legacy', capabilities: { elicitation: {} } })
const related = (taskId: string) => ({ 'io.modelcontextprotocol/related-task': { taskId } })

/** The layer before a server that answers with `answer`; `stored` is what the store has of the task `h1`. */
function setup(
  answer: (method: string) => JsonObject | Promise<JsonObject> = () => ({ status: 'working' }),
  { relay, stored }: { relay?: TaskRelay; stored?: JsonObject } = {},
) {
  const sent: [method: string, params: JsonObject][] = []
  const records = {
    put: async () => {},
    read: async (id: string, owner: string) =>
      id === 'h1' && owner === OWNER ? stored : undefined,
  }
  const state = new Tasks({ ids, relay, records })
  const handle = taskRequests(state)(async ({ method, params }) => {
    sent.push([method, params])
    return answer(method)
  })
  return {
    state,
    sent,
    handle,
    /** The id of a task that runs here, unless said otherwise. */
    idOf: (ref: Partial<TaskRef> = {}) =>
      ids.seal({
        server: 'echo',
        tool: 'work',
        owner: OWNER,
        replica: state.replica,
        connection: '',
        upstreamId: '',
        era: 'modern',
        heldId: 'h1',
        run: state.run,
        createdAt: Date.now(),
        ttlMs: 60_000,
        ...ref,
      }),
    ask: async (method: string, taskId: string, parts: Partial<Authorized> = {}) =>
      handle(aCall({ method, params: { taskId }, ...parts })),
    hold: () => {
      const task = new HeldTask({ owner: OWNER, ttlMs: 60_000, heldId: 'h1', asksAsTask: true })
      state.hold(task)
      return task
    },
  }
}

it('leaves every other request alone', async () => {
  const { handle, sent } = setup(() => DONE)
  expect(await handle(aCall({ params: { name: 'work' } }))).toBe(DONE)
  expect(sent).toEqual([['tools/call', { name: 'work' }]])
})

describe('a task that is kept here', () => {
  it('is shown, answered and cancelled, each by its own request', async () => {
    const { ask, handle, hold, idOf, sent } = setup()
    const [task, taskId] = [hold(), idOf()]
    const answered = task.clientFor(aClient()).request('roots/list', {})
    expect(await ask('tasks/get', taskId)).toMatchObject({ taskId, status: 'input_required' })
    const params = { taskId, inputResponses: { q1: { roots: [] } } }
    expect(await handle(aCall({ method: 'tasks/update', params }))).toEqual({})
    expect(await answered).toEqual({ roots: [] })
    expect(await ask('tasks/get', taskId)).toMatchObject({ status: 'working' })
    expect(await ask('tasks/cancel', taskId)).toEqual({})
    expect(await ask('tasks/get', taskId)).toMatchObject({
      status: 'cancelled',
      statusMessage: 'The task was cancelled by request.',
    })
    expect(sent).toEqual([])
  })

  it('does not exist for another agent', async () => {
    const { ask, hold, idOf } = setup()
    const [task, taskId] = [hold(), idOf()]
    const agent = { id: 'bob', proof: 'key' } as const
    const refused = ask('tasks/cancel', taskId, { agent })
    await expect(refused).rejects.toMatchObject({ code: -32_602 })
    expect(task.ended).toBe(false)
  })
})

describe('a task of a server', () => {
  it('is asked of the server, and errors of the server are passed on', async () => {
    const { ask, idOf, sent } = setup((method) => {
      if (method === 'tasks/cancel') throw new RpcError(-32_001, 'refused')
      return { status: 'working' }
    })
    const taskId = idOf({ heldId: '', upstreamId: 'u1' })
    expect(await ask('tasks/get', taskId)).toEqual({ status: 'working' })
    expect(sent).toEqual([['tasks/get', { taskId }]])
    await expect(ask('tasks/cancel', taskId)).rejects.toThrow('refused')
  })

  it('is lost with its child process, and nothing is stored of it', async () => {
    const stored = { status: 'completed', result: DONE }
    const { ask, idOf } = setup(
      () => {
        throw new TaskLost('Its process has ended')
      },
      { stored },
    )
    const taskId = idOf({ heldId: '', upstreamId: 'u1' })
    expect(await ask('tasks/get', taskId)).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringContaining('Its process has ended'),
    })
  })
})

describe('a task of another replica', () => {
  it('is asked of that replica, in the name of its owner', async () => {
    const forward = vi.fn(async () => ({ status: 'working' }))
    const { ask, idOf, sent } = setup(undefined, { relay: { replica: 'r1', forward } })
    const taskId = idOf({ replica: 'r2', run: 'other' })
    const { signal } = new AbortController()
    expect(await ask('tasks/get', taskId, { signal })).toEqual({ status: 'working' })
    const request = { taskId, owner: OWNER, method: 'tasks/get', params: { taskId } }
    expect(forward.mock.calls).toEqual([['r2', request, signal]])
    await ask('tasks/get', idOf({ replica: '', heldId: '', upstreamId: 'u1' }))
    expect(forward, 'one that every replica reaches').toHaveBeenCalledTimes(1)
    expect(sent).toHaveLength(1)
  })

  it('is known by what was stored where that replica is gone', async () => {
    const stored = { status: 'completed', result: DONE }
    const relay = {
      replica: 'r1',
      forward: async () => Promise.reject(new TaskLost('It is gone')),
    }
    const { ask, idOf } = setup(undefined, { relay, stored })
    const taskId = idOf({ replica: 'r2' })
    expect(await ask('tasks/get', taskId)).toEqual({ taskId, ...stored })
    expect(await ask('tasks/cancel', taskId)).toEqual({})
    const other = setup(undefined, { relay })
    expect(await other.ask('tasks/get', taskId)).toMatchObject({ status: 'failed' })
  })
})

describe('a task that was lost', () => {
  it.each([
    ['The gateway that ran this task has ended', { replica: 'r2' }],
    ['The gateway was restarted while this task ran', { run: 'earlier' }],
    ['The result of this task was evicted to free memory', {}],
  ])('says why: %s', async (why, ref) => {
    const { ask, idOf, sent } = setup(undefined, { stored: { status: 'working' } })
    const taskId = idOf(ref)
    const lost = await ask('tasks/get', taskId)
    expect(lost).toMatchObject({ taskId, status: 'failed' })
    expect(String(lost['statusMessage']).split('.')[0]).toBe(why)
    expect(sent).toEqual([])
  })

  it('is not known when its time is over, whatever is stored', async () => {
    const { ask, idOf, sent } = setup(undefined, { stored: { status: 'completed', result: DONE } })
    const over = { run: 'earlier', upstreamId: 'u1', createdAt: Date.now() - 70_000 }
    await expect(ask('tasks/get', idOf(over))).rejects.toMatchObject({ code: -32_602 })
    expect(sent).toEqual([])
    const lasting = idOf({ ...over, ttlMs: 1_000_000 })
    expect(await ask('tasks/get', lasting)).toMatchObject({ result: DONE })
  })

  it('goes on where it is a script that waits in the store', async () => {
    const { ask, idOf, sent } = setup()
    const taskId = idOf({ run: 'earlier', server: '', tool: 'run_script' })
    expect(await ask('tasks/get', taskId)).toEqual({ status: 'working' })
    expect(sent).toEqual([['tasks/get', { taskId }]])
  })
})

describe('a client of 2025-11-25', () => {
  const parts = { client: legacy }

  it('gets the task itself, and a cancelled one when it asks for that, which cannot be repeated', async () => {
    const { ask, hold, idOf } = setup()
    const [, taskId] = [hold(), idOf()]
    expect(await ask('tasks/get', taskId, parts)).toMatchObject({ taskId, status: 'working' })
    expect(await ask('tasks/cancel', taskId, parts)).toMatchObject({
      taskId,
      status: 'cancelled',
      ttl: 60_000,
    })
    await expect(ask('tasks/cancel', taskId, parts)).rejects.toMatchObject({
      code: -32_602,
      message: "Cannot cancel task: already in terminal status 'cancelled'",
    })
  })

  it('asks the server of its own revision itself, which a client of the other cannot', async () => {
    const { ask, idOf, sent } = setup(() => DONE)
    const taskId = idOf({ heldId: '', upstreamId: 'u1', era: 'legacy', connection: 'c7' })
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect(await ask(method, taskId, parts)).toBe(DONE)
    expect(sent.map(([method]) => method)).toEqual(['tasks/get', 'tasks/result', 'tasks/cancel'])
    await expect(ask('tasks/get', taskId)).rejects.toThrow('Task not found')
    expect(sent).toHaveLength(3)
  })

  it.each([
    [
      'The gateway was restarted, or another replica of it runs this task: the task is no longer known',
      { run: 'earlier' },
    ],
    ['Task not found', {}],
    ['Task not found', { heldId: '', upstreamId: 'u1' }],
  ])('is told, where its task did not survive: %s', async (why, ref) => {
    const stored = { status: 'completed', result: DONE }
    const { ask, idOf, sent } = setup(undefined, { stored })
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      const refused = ask(method, idOf(ref), parts)
      await expect(refused).rejects.toMatchObject({ code: -32_602 })
      await expect(refused).rejects.toThrow(why)
      await expect(refused).rejects.toThrow(/all the tool again\.$/)
    }
    expect(sent).toEqual([])
  })

  it('is told where the connection of its task has ended', async () => {
    const { ask, idOf } = setup(async () => Promise.reject(new TaskLost('It has ended')))
    const taskId = idOf({ heldId: '', upstreamId: 'u1', era: 'legacy', connection: 'c7' })
    await expect(ask('tasks/result', taskId, parts)).rejects.toThrow(
      'It has ended: the task is no longer known. Whether its work was done is not known: check, then call the tool again.',
    )
  })

  it('is asked each question once while it waits for the result of a task kept here', async () => {
    const { ask, hold, idOf } = setup()
    const [task, taskId] = [hold(), idOf()]
    const request = vi.fn(async () => ({ action: 'accept' }))
    const result = ask('tasks/result', taskId, { client: { ...legacy, request } })
    const server = task.clientFor(aClient())
    const first = server.request('elicitation/create', { message: 'Sure?' })
    expect(await first).toEqual({ action: 'accept' })
    expect(await server.request('elicitation/create', { message: 'Really?' })).toEqual({
      action: 'accept',
    })
    await task.run(Promise.resolve(DONE))
    expect(await result).toEqual({ ...DONE, _meta: related(taskId) })
    const asked = ['Sure?', 'Really?'].map((message) => [
      'elicitation/create',
      { message, _meta: related(taskId) },
    ])
    expect(request.mock.calls.map((args: unknown[]) => args.slice(0, 2))).toEqual(asked)
  })

  it('gets the error of a task that failed, and leaves when it wants', async () => {
    const { ask, hold, idOf } = setup()
    const [task, taskId] = [hold(), idOf()]
    const leaving = new Canceller()
    const left = ask('tasks/result', taskId, { client: legacy, signal: leaving })
    const result = ask('tasks/result', taskId, { client: legacy })
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(task.ended, 'others wait').toBe(false)
    const failing = task.run(Promise.reject(new RpcError(-32_001, 'broken')))
    await expect(failing).rejects.toThrow('broken')
    await expect(result).rejects.toMatchObject({ code: -32_001, message: 'broken' })
  })
})
