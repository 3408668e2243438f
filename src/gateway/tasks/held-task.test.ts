import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { deferred } from '../../../test/support/deferred.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { CallResult } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { HeldTask, type HeldTaskOptions } from './held-task.ts'

const DONE = { content: [{ type: 'text', text: 'done' }] }
const START = Date.parse('2026-01-01T00:00:00Z')
const aTask = (options: Partial<HeldTaskOptions> = {}) =>
  new HeldTask({ owner: 'ada', ttlMs: 60_000, ...options })

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }))
afterEach(() => void vi.useRealTimers())

/** How often it has told its listeners of a change. */
function changesOf(task: HeldTask) {
  const listener = vi.fn<() => void>()
  task.onChange(listener)
  return listener
}

function aCaller() {
  const request = vi.fn(async () => ({ from: 'the caller' }))
  const notify = vi.fn<() => void>()
  return { request, notify, client: aClient({ session: 's9', request, notify }) }
}

describe('the state of a task', () => {
  const described = {
    taskId: 'id',
    status: 'working',
    createdAt: '2026-01-01T00:00:00.000Z',
    lastUpdatedAt: '2026-01-01T00:00:00.000Z',
    ttlMs: 60_000,
    pollIntervalMs: 1000,
  }

  it('is all that its client is told, and changes with its progress', () => {
    const task = aTask()
    expect(task.describe('id')).toEqual(described)
    task.handOver()
    vi.setSystemTime(START + 5000)
    task.clientFor(aClient()).notify('notifications/progress', { progress: 1, message: 'half' })
    expect(task.describe('id')).toEqual({
      ...described,
      statusMessage: 'half',
      lastUpdatedAt: '2026-01-01T00:00:05.000Z',
    })
    expect(task.changes).toBe(1)
  })

  it('has the result once there is one, and keeps the last message', async () => {
    const task = aTask()
    task.handOver()
    task.clientFor(aClient()).notify('notifications/progress', { progress: 1, message: 'half' })
    expect([task.ended, task.result]).toEqual([false, undefined])
    expect(await task.run(Promise.resolve(DONE))).toBe(DONE)
    expect([task.ended, task.result]).toEqual([true, DONE])
    expect(task.describe('id')).toEqual({
      ...described,
      status: 'completed',
      statusMessage: 'half',
      result: DONE,
    })
  })

  it.each([
    [
      new RpcError(-32_001, 'refused', { why: 7 }),
      { code: -32_001, message: 'refused', data: { why: 7 } },
    ],
    [
      new GatewayError('TIMEOUT', 'too slow'),
      {
        code: -32_004,
        message: 'too slow',
        data: { code: 'TIMEOUT', message: 'too slow', retryable: true },
      },
    ],
    [new TypeError('broken'), { code: RPC.internalError, message: 'broken' }],
  ])('has the error that it failed with: %s', async (error, failure) => {
    const task = aTask()
    await expect(task.run(Promise.reject(error))).rejects.toBe(error)
    expect(task.describe('id')).toEqual({
      ...described,
      status: 'failed',
      statusMessage: failure.message,
      error: failure,
    })
    expect([task.ended, task.result]).toEqual([true, undefined])
  })

  it('has an id of its own, unless it goes on with an earlier one', () => {
    expect(aTask().heldId).not.toBe(aTask().heldId)
    expect(aTask({ heldId: 'h1' }).heldId).toBe('h1')
  })
})

describe('cancelling a task', () => {
  it('ends it once, stops its work and refuses its questions', async () => {
    const task = aTask()
    task.handOver()
    const changed = changesOf(task)
    const work = deferred<CallResult>()
    const running = task.run(work.promise)
    const question = task.clientFor(aClient()).request('roots/list', {})
    expect(task.asks).toBe(true)
    task.cancel('Not needed.')
    const reason = { code: 'CANCELLED', message: 'Not needed.' }
    expect(task.signal).toMatchObject({ aborted: true, reason })
    await expect(question).rejects.toMatchObject(reason)
    expect(task.asks).toBe(false)
    task.cancel('Again.')
    work.resolve(DONE)
    await running
    expect(task.describe('id')).toMatchObject({ status: 'cancelled', statusMessage: 'Not needed.' })
    expect(task.describe('id')).not.toHaveProperty('result')
    expect(task.result).toBeUndefined()
    expect(changed, 'one question, one end').toHaveBeenCalledTimes(2)
  })

  it('does nothing to one that has ended', async () => {
    const task = aTask()
    await task.run(Promise.resolve(DONE))
    task.cancel('Too late.')
    expect(task.signal.aborted).toBe(false)
    expect(task.describe('id')).toMatchObject({ status: 'completed', result: DONE })
    expect(task.describe('id')).not.toHaveProperty('statusMessage')
  })
})

describe('the client of a task', () => {
  it('is the caller itself until it is handed over', async () => {
    const { request, notify, client } = aCaller()
    const task = aTask()
    const changed = changesOf(task)
    const seen = task.clientFor(client)
    expect(seen.session).toBe('s9')
    const { signal } = new AbortController()
    expect(await seen.request('roots/list', { a: 1 }, { signal })).toEqual({
      from: 'the caller',
    })
    expect(request).toHaveBeenCalledWith('roots/list', { a: 1 }, { signal })
    seen.notify('notifications/progress', { message: 'half' })
    expect(notify).toHaveBeenCalledWith('notifications/progress', { message: 'half' })
    expect([task.handedOver, task.asks]).toEqual([false, false])
    expect(changed).not.toHaveBeenCalled()
  })

  it('is asked by way of the task afterwards, and is told nothing by itself', async () => {
    const { request, notify, client } = aCaller()
    const task = aTask()
    const seen = task.clientFor(client)
    task.handOver()
    expect(task.handedOver).toBe(true)
    void seen.request('roots/list', {})
    expect(task.describe('id')).toMatchObject({
      inputRequests: { q1: { method: 'roots/list', params: {} } },
    })
    const changed = changesOf(task)
    seen.notify('notifications/message', { message: 'a log line' })
    seen.notify('notifications/progress', { progress: 1 })
    seen.notify('notifications/progress', { message: 7 })
    expect(changed, 'no message of a status').not.toHaveBeenCalled()
    expect(task.describe('id')).not.toHaveProperty('statusMessage')
    expect([request, notify].map(({ mock }) => mock.calls)).toEqual([[], []])
  })

  it('of 2025-11-25 still gets the progress of its request, until the task ends', async () => {
    const { notify, client } = aCaller()
    const task = aTask()
    const seen = task.clientFor({ ...client, era: 'legacy' })
    task.handOver()
    seen.notify('notifications/message', { message: 'a log line' })
    seen.notify('notifications/progress', { progress: 1, message: 'half' })
    expect(notify.mock.calls).toEqual([
      ['notifications/progress', { progress: 1, message: 'half' }],
    ])
    expect(task.describe('id')).toMatchObject({ statusMessage: 'half' })
    await task.run(Promise.resolve({}))
    seen.notify('notifications/progress', { progress: 2, message: 'late' })
    expect(notify).toHaveBeenCalledTimes(1)
    expect(task.describe('id')).toMatchObject({ statusMessage: 'half' })
  })

  it('is asked so from the beginning where the task says so, under the key of the server', async () => {
    const { request, notify, client } = aCaller()
    const task = aTask({ asksAsTask: true })
    const answer = task.clientFor(client, 'sure').request('elicitation/create', {})
    expect(Object.keys(Object(task.describe('id')['inputRequests']))).toEqual(['sure'])
    expect(request).not.toHaveBeenCalled()
    task.clientFor(client).notify('notifications/progress', { message: 'half' })
    expect(notify, 'nobody polls yet').toHaveBeenCalledTimes(1)
    task.answer({ sure: { action: 'accept' } })
    expect(await answer).toEqual({ action: 'accept' })
    expect(task.asks).toBe(false)
  })

  it('is asked nothing more by a task that has ended', async () => {
    const task = aTask({ asksAsTask: true })
    void task.clientFor(aClient()).request('roots/list', {})
    await task.run(Promise.resolve(DONE))
    expect(task.asks).toBe(false)
    expect(task.describe('id')).not.toHaveProperty('inputRequests')
  })
})

it('shows what its server asks, and takes the answer, once', async () => {
  const task = aTask()
  const notified: unknown[] = []
  task.onChange(() => notified.push(task.describe('id')['status']))
  const client = task.clientFor(aClient())
  task.handOver()
  const answer = client.request('elicitation/create', { message: 'sure?' })
  const { status, inputRequests } = task.describe('id')
  expect(status).toBe('input_required')
  expect(inputRequests).toEqual({
    q1: { method: 'elicitation/create', params: { message: 'sure?' } },
  })
  task.answer({ other: { action: 'accept' } })
  expect(task.describe('id')['status']).toBe('input_required')
  task.answer({ q1: { action: 'accept' } })
  expect(await answer).toEqual({ action: 'accept' })
  expect(task.describe('id')['status']).toBe('working')
  expect(notified).toEqual(['input_required', 'input_required', 'working'])
})

describe('waiting for a change of a task', () => {
  const { signal } = new AbortController()

  it('ends at once where there were changes since', async () => {
    const task = aTask()
    await task.changedSince(undefined, signal)
    task.answer({})
    await task.changedSince(0, signal)
    expect(task.changes).toBe(1)
  })

  it('ends with the next change, and with the request that waits', async () => {
    const task = aTask()
    const leaving = new Canceller()
    const ends: string[] = []
    const waiting = task.changedSince(0, signal).then(() => ends.push('changed'))
    const left = task.changedSince(0, leaving).catch(() => ends.push('left'))
    leaving.abort(new Error('left'))
    await left
    expect(ends).toEqual(['left'])
    task.answer({})
    await waiting
    expect(ends).toEqual(['left', 'changed'])
  })

  it('can be given up', () => {
    const task = aTask()
    const [one, other] = [vi.fn<() => void>(), vi.fn<() => void>()]
    const unsubscribe = task.onChange(one)
    task.onChange(other)
    task.answer({})
    unsubscribe()
    task.answer({})
    expect([one, other].map(({ mock }) => mock.calls.length)).toEqual([1, 2])
  })
})
