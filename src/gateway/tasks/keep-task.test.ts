import { describe, expect, it } from 'vitest'
import { aCall, aClient } from '../../../test/support/a-call.ts'
import { deferred } from '../../../test/support/deferred.ts'
import { Canceller } from '../../base/flow/signal.ts'
import type { CallResult } from '../call.ts'
import { HeldTask } from './held-task.ts'
import { keepTask, newTask, resultOrTask } from './keep-task.ts'
import { createTaskIds } from './task-ids.ts'
import type { TaskRecord } from './task-records.ts'
import { Tasks } from './tasks.ts'

const DONE = { content: [] }
const KEPT = { resultType: 'task', taskId: 'id' }
const aTask = () => new HeldTask({ owner: 'ada', ttlMs: 60_000, asksAsTask: true })
const ttlOf = (task?: unknown) => newTask(aCall({ params: { task } }), { ttlMs: 1000 }).ttlMs
const never = new Promise<CallResult>(() => {})

function aState() {
  const stored: TaskRecord[] = []
  const put = async (record: TaskRecord) => void stored.push(record)
  const ids = createTaskIds(() => Buffer.alloc(32, 7))
  return { stored, state: new Tasks({ ids, records: { put, read: async () => undefined } }) }
}

describe('a new task', () => {
  it('lives as long as its client asks for, up to the limit', () => {
    expect([{ ttl: 500 }, { ttl: 5000 }, { ttl: 0 }, { ttl: -7 }].map(ttlOf)).toEqual([
      500, 1000, 1, 1,
    ])
    expect([{ ttl: '500' }, { ttl: null }, {}, 'task', undefined].map(ttlOf)).toEqual(
      Array.from({ length: 5 }, () => 1000),
    )
  })

  it('is that of its caller, who is asked by way of it where the options say so', async () => {
    const call = aCall({ agent: { id: 'bob', proof: 'key' } })
    const [plain, asking] = [
      newTask(call, { ttlMs: 1 }),
      newTask(call, { ttlMs: 1, asksAsTask: true }),
    ]
    expect(plain.owner).toBe('agent:bob|bob')
    for (const task of [plain, asking]) void task.clientFor(aClient()).request('roots/list', {})
    expect([plain.asks, asking.asks]).toEqual([false, true])
  })
})

describe('keeping a task', () => {
  it('tells its client how to poll, and neither result, error nor question', async () => {
    const { state } = aState()
    const [asking, completed, failed] = [aTask(), aTask(), aTask()]
    // Its time to live ends while another file runs in this worker.
    void asking
      .clientFor(aClient())
      .request('roots/list', {})
      .catch(() => undefined)
    await completed.run(Promise.resolve(DONE))
    await failed.run(Promise.reject(new Error('broken'))).catch(() => undefined)
    const created = [asking, completed, failed].map((task) => keepTask(state, task, 'id'))
    const time = expect.stringMatching(/^\d{4}-/)
    const common = { ...KEPT, createdAt: time, lastUpdatedAt: time, ttlMs: 60_000 }
    expect(created).toEqual([
      { ...common, pollIntervalMs: 1000, status: 'input_required' },
      { ...common, pollIntervalMs: 1000, status: 'completed' },
      { ...common, pollIntervalMs: 1000, status: 'failed', statusMessage: 'broken' },
    ])
    expect(asking.handedOver).toBe(true)
    expect(state.held.find(asking.heldId, 'ada')).toBe(asking)
  })
})

describe('a call that may become a task', () => {
  const signal = new Canceller()
  const patient = { afterMs: 1_000_000, call: { signal }, keep: () => KEPT }

  it('gives its result where it comes soon, whatever else changes', async () => {
    const quick = aTask()
    const work = quick.run(Promise.resolve(DONE))
    expect(await resultOrTask({ task: quick, work }, patient)).toBe(DONE)
    const task = aTask()
    const later = deferred<CallResult>()
    const waiting = resultOrTask({ task, work: later.promise }, patient)
    task.answer({})
    await new Promise(setImmediate)
    later.resolve(DONE)
    expect(await waiting).toBe(DONE)
  })

  it('is kept when it takes long, and goes on', async () => {
    const task = aTask()
    expect(await resultOrTask({ task, work: never }, { ...patient, afterMs: 1 })).toBe(KEPT)
    expect(task.signal.aborted).toBe(false)
  })

  it('is kept when it asks its client', async () => {
    const task = aTask()
    const waiting = resultOrTask({ task, work: never }, patient)
    void task.clientFor(aClient()).request('roots/list', {})
    expect(await waiting).toBe(KEPT)
  })

  it('is cancelled when its client leaves, and fails with its own error', async () => {
    const [left, failed] = [aTask(), aTask()]
    const leaving = new Canceller()
    const call = { signal: leaving }
    const waiting = resultOrTask({ task: left, work: never }, { ...patient, call })
    leaving.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    expect(left.describe('id')).toMatchObject({
      status: 'cancelled',
      statusMessage: 'The call was cancelled',
    })
    const work = failed.run(Promise.reject(new Error('broken')))
    await expect(resultOrTask({ task: failed, work }, patient)).rejects.toThrow('broken')
    expect(failed.describe('id')).toMatchObject({ status: 'failed', statusMessage: 'broken' })
  })
})
