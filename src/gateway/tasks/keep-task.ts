import { ERAS } from '../../protocol/eras/eras.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { untilAborted } from '../../base/flow/time.ts'
import type { CallResult, Identified } from '../call.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'
import { GatewayError } from '../errors.ts'
import { HeldTask, type HeldTaskOptions } from './held-task.ts'
import type { Tasks } from './tasks.ts'

/** A call that goes on by itself, and the task that its client polls. */
export interface KeptCall {
  readonly task: HeldTask
  readonly work: Promise<CallResult>
}

/** Creates a task for a call, which lives as long as its client asks for, up to the limit. */
export function newTask(
  { agent, client, params: { task } }: Identified,
  { ttlMs: mostMs, asksAsTask }: Omit<HeldTaskOptions, 'owner'>,
): HeldTask {
  const asked = isObject(task) && typeof task['ttl'] === 'number' ? task['ttl'] : Infinity
  const ttlMs = Math.max(1, Math.min(asked, mostMs))
  return new HeldTask({
    owner: ownerOfResults(agent),
    ttlMs,
    ...(asksAsTask && { asksAsTask }),
    endsWithProcess: ERAS[client.era].asksForTasks,
  })
}

/** The error for a client that asks for a task and has no room for one. */
export function tooManyTasks(otherwise: string): GatewayError {
  return new GatewayError('RATE_LIMITED', 'You have too many tasks that have not expired', {
    hint: `Wait until some have, or ${otherwise}.`,
  })
}

/** Lets the client poll from now on; returns what it gets instead of the result. */
export function keepTask(tasks: Tasks, task: HeldTask, taskId: string): JsonObject {
  task.handOver()
  tasks.hold(task)
  // Only `tasks/get` gives results and questions, even if there are some already.
  const {
    result: _result,
    error: _error,
    inputRequests: _asked,
    ...created
  } = task.describe(taskId)
  return { resultType: 'task', ...created }
}

interface WaitingRequest {
  readonly afterMs: number
  /** The request whose client waits. */
  readonly call: Pick<Identified, 'signal'>
  /** Keeps it as a task, and returns what the client gets. */
  readonly keep: () => JsonObject
}

/** Returns a result that comes soon, otherwise a task; also if the task asks its client. */
export async function resultOrTask(
  { task, work }: KeptCall,
  { afterMs, call, keep }: WaitingRequest,
): Promise<CallResult> {
  const late = Symbol('late')
  const timer = new AbortController()
  const expired = wait(afterMs, late, { signal: timer.signal })
  const asked = new Promise<symbol>((resolve) => {
    task.onChange(() => task.asks && resolve(late))
  })
  try {
    const first = await untilAborted(Promise.race([work, expired, asked]), call.signal)
    return typeof first === 'symbol' ? keep() : first
  } catch (error) {
    task.cancel('The call was cancelled')
    throw error
  } finally {
    timer.abort()
  }
}
