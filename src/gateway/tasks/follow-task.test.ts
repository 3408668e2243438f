import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { GatewayError } from '../errors.ts'
import { followTask, intervalOf, outcomeOf } from './follow-task.ts'
import { TaskLost, answerLost } from './lost-task.ts'
import type { TaskRef } from './task-ids.ts'

const CREATED = { resultType: 'task', taskId: 't1', status: 'working', pollIntervalMs: 1 }
const DONE = { taskId: 't1', status: 'completed', result: { content: ['done'] } }
const unanswered = () => new GatewayError('SERVER_UNAVAILABLE', 'no answer')

/** A server that answers questions about its task one after the other. */
function aServer(...answers: readonly (JsonObject | Error)[]) {
  const asked: string[] = []
  const left = [...answers]
  const ask = async (method: string) => {
    asked.push(method)
    const answer = left.length > 1 ? left.shift() : left[0]
    if (answer instanceof Error) throw answer
    return answer ?? {}
  }
  const controller = new AbortController()
  const follow = async () =>
    followTask(CREATED, { client: aClient(), signal: controller.signal, ask })
  return { asked, follow, controller }
}

const failed = (error: unknown) => () => outcomeOf({ status: 'failed', error })

const ref = (createdAt: number, ttlMs: number): TaskRef => ({
  server: 's',
  tool: 't',
  owner: 'ada',
  replica: 'r1',
  connection: '',
  upstreamId: '1',
  era: 'modern',
  heldId: '',
  run: '',
  createdAt,
  ttlMs,
})

describe('a task is followed', () => {
  it('until it has ended, and gives what the call would have given', async () => {
    const { asked, follow } = aServer({ ...CREATED }, { ...CREATED }, DONE)
    expect(await follow()).toEqual({ content: ['done'] })
    expect(asked).toEqual(['tasks/get', 'tasks/get', 'tasks/get'])
  })

  it('over four answers in a row that do not come, and not over five', async () => {
    const four = Array.from({ length: 4 }, unanswered)
    const twice = aServer(...four, { ...CREATED }, ...four, DONE)
    expect(await twice.follow()).toEqual({ content: ['done'] })
    const never = aServer(unanswered())
    await expect(never.follow()).rejects.toThrow('no answer')
    expect(never.asked).toHaveLength(5)
    const refused = aServer(new RpcError(RPC.invalidParams, 'no such task'))
    await expect(refused.follow()).rejects.toThrow('no such task')
    expect(refused.asked, 'an answer is an answer').toHaveLength(1)
  })

  it('no further when nobody waits for it, and is cancelled then', async () => {
    const { asked, follow, controller } = aServer({ ...CREATED, pollIntervalMs: 100_000 })
    const following = follow()
    await expect.poll(() => asked).toEqual(['tasks/get'])
    controller.abort(new Error('gone'))
    await expect(following).rejects.toThrow('gone')
    expect(asked).toEqual(['tasks/get', 'tasks/cancel'])
  })
})

it('is asked about as often as its server suggests', () => {
  expect(intervalOf({ pollIntervalMs: 70 })).toBe(70)
  for (const pollIntervalMs of [0, -1, '70', undefined])
    expect(intervalOf({ pollIntervalMs })).toBe(500)
  expect(intervalOf({}, 9)).toBe(9)
  expect(intervalOf({ pollIntervalMs: 1e12 }), 'the longest timer').toBe(2 ** 31 - 1)
})

it('that failed throws its error, and one that was cancelled says so', () => {
  expect(outcomeOf({ status: 'completed' })).toEqual({})
  expect(failed({ code: -32001, message: 'broken', data: 7 })).toThrow(
    expect.objectContaining({ code: -32001, message: 'broken', data: 7 }),
  )
  for (const error of [undefined, 'text', {}])
    expect(failed(error)).toThrow(
      expect.objectContaining({ code: RPC.internalError, message: 'The task failed' }),
    )
  expect(() => outcomeOf({ status: 'cancelled' })).toThrow('was cancelled')
})

describe('a task whose process has ended', () => {
  const lost = new TaskLost('Its replica has ended')
  it('has failed, with why, for as long as it would have been kept', () => {
    const at = Date.now() - 1_000
    expect(answerLost('tasks/get', 't1', ref(at, 60_000), lost)).toEqual({
      taskId: 't1',
      status: 'failed',
      statusMessage: expect.stringContaining('Its replica has ended. Whether its work was done'),
      createdAt: new Date(at).toISOString(),
      lastUpdatedAt: new Date(at).toISOString(),
      ttlMs: 60_000,
      error: { code: RPC.internalError, message: expect.stringContaining('call the tool again') },
    })
    expect(answerLost('tasks/get', 't1', ref(at, Infinity), lost)['ttlMs']).toBeNull()
    expect(answerLost('tasks/cancel', 't1', ref(at, 60_000), lost)).toEqual({})
  })

  it('is not known any more after that', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 10_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(answerLost('tasks/cancel', 't1', ref(4000, 6000), lost), 'the last moment').toEqual({})
    expect(() => answerLost('tasks/get', 't1', ref(Date.now() - 10_000, 5_000), lost)).toThrow(
      RpcError,
    )
  })
})
