import { afterEach, describe, expect, it, vi } from 'vitest'
import { aCall, aClient, anUpstream } from '../../../test/support/a-call.ts'
import { deferred } from '../../../test/support/deferred.ts'
import { HeldTask } from './held-task.ts'
import { createTaskIds } from './task-ids.ts'
import type { TaskRecord } from './task-records.ts'
import { Tasks } from './tasks.ts'

const DONE = { content: [] }
const OWNER = 'agent:ada|ada'
const ids = createTaskIds(() => Buffer.alloc(32, 7))
const aTask = () => new HeldTask({ owner: OWNER, ttlMs: 60_000, asksAsTask: true, heldId: 'h1' })
const relay = { replica: 'r1', forward: async () => ({}) }

afterEach(() => void vi.useRealTimers())

/** Tasks whose records are those in `stored`, each stored when `until` is over. */
function storing(until: Promise<void> = Promise.resolve()) {
  const stored: TaskRecord[] = []
  const put = async (record: TaskRecord) => {
    stored.push(record)
    return until
  }
  const records = { put, read: async () => undefined }
  return { stored, state: new Tasks({ ids, records }) }
}

describe('a task that is held', () => {
  it('is found by its owner, with or without a store', async () => {
    const state = new Tasks({ ids })
    const task = aTask()
    state.hold(task)
    await task.run(Promise.resolve(DONE))
    await state.stored(task)
    expect(state.held.find('h1', OWNER)).toBe(task)
    expect(state.held.find('h1', 'agent:bob|bob')).toBeUndefined()
  })

  it('is stored when it has ended, and its questions are not', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_767_225_600_000 })
    const { state, stored } = storing()
    const task = aTask()
    state.hold(task)
    // Rejected when its time to live ends, perhaps while the tests of another file run.
    task
      .clientFor(aClient())
      .request('roots/list', {})
      .catch(() => undefined)
    task.answer({ q1: { roots: [] } })
    expect(stored).toEqual([])
    await task.run(Promise.resolve(DONE))
    expect(stored).toEqual([
      {
        id: 'h1',
        owner: OWNER,
        expiresAt: 1_767_225_660_000,
        state: {
          status: 'completed',
          createdAt: '2026-01-01T00:00:00.000Z',
          lastUpdatedAt: '2026-01-01T00:00:00.000Z',
          ttlMs: 60_000,
          pollIntervalMs: 1000,
          result: DONE,
        },
      },
    ])
  })

  it('is stored at once where it had ended before', async () => {
    const { state, stored } = storing()
    const task = aTask()
    await task.run(Promise.resolve(DONE))
    state.hold(task)
    expect(stored).toMatchObject([{ state: { status: 'completed' } }])
  })

  it('is stored without its questions, and not at all where it ends with its process', async () => {
    const { state, stored } = storing()
    const [task, other] = [
      aTask(),
      new HeldTask({ owner: OWNER, ttlMs: 60_000, endsWithProcess: true }),
    ]
    for (const one of [task, other]) state.hold(one)
    // Rejected when its time to live ends, perhaps while the tests of another file run.
    task
      .clientFor(aClient())
      .request('roots/list', {})
      .catch(() => undefined)
    expect(stored, 'nothing to tell yet').toEqual([])
    for (const one of [task, other]) await one.run(Promise.resolve(DONE))
    expect(stored.map(({ id }) => id)).toEqual(['h1'])
    expect(Object.keys(stored[0]?.state ?? {})).not.toContain('inputRequests')
  })

  it('is shown when it is stored', async () => {
    const written = deferred<void>()
    const { state } = storing(written.promise)
    const task = aTask()
    state.hold(task)
    await task.run(Promise.resolve(DONE))
    const order: string[] = []
    const shown = state.stored(task).then(() => order.push('shown'))
    await state.stored(aTask()).then(() => order.push('another'))
    order.push('written')
    written.resolve()
    await shown
    expect(order).toEqual(['another', 'written', 'shown'])
  })

  it('is shown after two seconds where the store does not answer', async () => {
    vi.useFakeTimers()
    const { state } = storing(new Promise(() => {}))
    const task = aTask()
    state.hold(task)
    await task.run(Promise.resolve(DONE))
    let isShown = false
    const shown = state.stored(task).then(() => (isShown = true))
    await vi.advanceTimersByTimeAsync(1999)
    expect(isShown).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await shown
    expect(isShown).toBe(true)
  })
})

describe('the id of a task', () => {
  const tool = { server: 'echo', name: 'work', definition: { name: 'work' }, readOnly: false }
  const nowhere = {
    server: 'echo',
    tool: 'work',
    owner: OWNER,
    replica: '',
    connection: '',
    upstreamId: '',
    era: 'modern',
    heldId: '',
    run: '',
    createdAt: 1_767_225_600_000,
    ttlMs: Infinity,
  }

  it('says where it runs: here, on a server, or on one connection of this run', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: nowhere.createdAt })
    const state = new Tasks({ ids, relay })
    const here = { replica: 'r1', run: state.run }
    const held = { ...nowhere, ...here, heldId: 'h1', ttlMs: 60_000 }
    const call = aCall({ tool, upstream: anUpstream({ kind: 'stdio' }) })
    const opened = (id: string) => ids.open(id)
    expect(opened(state.sealHeld(call, aTask()))).toEqual(held)
    const own = { ...held, server: '', tool: 'run_script' }
    expect(opened(state.sealOwn(call, 'run_script', aTask()))).toEqual(own)
    const upstream = { ...nowhere, upstreamId: 'u1' }
    const created = { taskId: 'u1', ttlMs: 9 }
    const modern = { era: 'modern' } as const
    expect(opened(state.sealUpstream(call, created, modern))).toEqual({ ...upstream, ttlMs: 9 })
    const place = { era: 'legacy', connection: 'c7' } as const
    expect(opened(state.sealUpstream(call, { taskId: 'u1', ttlMs: null }, place))).toEqual({
      ...upstream,
      ...here,
      ...place,
    })
    expect(opened(state.sealUpstream(aCall(), created, modern))).toMatchObject({ tool: '' })
  })

  it('is of one run of one replica, and of its owner alone', () => {
    const [state, other] = [new Tasks({ ids }), new Tasks({ ids, relay })]
    expect([state.replica, other.replica]).toEqual(['', 'r1'])
    expect(state.run).toMatch(/^[\da-f]{8}$/)
    expect(state.run).not.toBe(other.run)
    const id = state.sealHeld(aCall({ tool }), aTask())
    expect(other.find(id, OWNER)).toMatchObject({ heldId: 'h1', run: state.run })
    expect(other.find(id, 'agent:bob|bob')).toBeUndefined()
    expect(other.find('pt_x', OWNER)).toBeUndefined()
  })
})
