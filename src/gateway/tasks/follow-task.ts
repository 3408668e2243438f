import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { MAX_TIMER_MS, pause } from '../../base/flow/time.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { isTerminal, taskOf } from '../../protocol/tasks.ts'
import { withoutRelatedTask } from '../../protocol/eras/legacy/tasks.ts'
import { askAll } from '../questions/ask-client.ts'
import type { CallResult, Client } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { isUnanswered } from '../outage.ts'

/** Sends a request about the task to the server that runs it. */
type AskServer = (method: string, params: JsonObject, signal?: Signal) => Promise<JsonObject>

export interface TaskClient {
  readonly client: Client
  readonly signal: Signal
  readonly ask: AskServer
}

const POLL_MS = 500
/** How many polls in a row may go unanswered. */
const MAX_FAILURES = 5

/** Waits for the end of a task and returns its result; cancels it if nobody waits any longer. */
export async function followTask(created: CallResult, following: TaskClient): Promise<CallResult> {
  const task = taskOf(created)
  if (!task) return created
  const taskId = String(task['taskId'])
  const { signal, ask } = following
  try {
    // A server of 2025-11-25 sends its questions while it is asked for the result.
    if (created['resultType'] !== 'task')
      return withoutRelatedTask(await ask('tasks/result', { taskId }, signal))
    return await poll(task, following)
  } catch (error) {
    if (signal.aborted) ask('tasks/cancel', { taskId }).catch(() => undefined)
    throw error
  }
}

async function poll(created: JsonObject, following: TaskClient): Promise<CallResult> {
  const { ask, client, signal } = following
  const taskId = String(created['taskId'])
  const asked = new Set<string>()
  for (let task = created, failures = 0; ;) {
    await pause(intervalOf(task), signal)
    try {
      task = await ask('tasks/get', { taskId }, signal)
      failures = 0
    } catch (error) {
      failures += 1
      if (!isUnanswered(error) || signal.aborted || failures >= MAX_FAILURES) throw error
      continue
    }
    if (isTerminal(task)) return outcomeOf(task)
    const inputResponses = await askAll(task['inputRequests'], { client, signal, asked })
    if (Object.keys(inputResponses).length > 0)
      await ask('tasks/update', { taskId, inputResponses }, signal)
  }
}

/** Returns the time before the next poll of a task, as its server suggests. */
export function intervalOf({ pollIntervalMs }: JsonObject, otherwiseMs = POLL_MS): number {
  if (typeof pollIntervalMs !== 'number' || pollIntervalMs <= 0) return otherwiseMs
  return Math.min(pollIntervalMs, MAX_TIMER_MS)
}

/** Returns the result of a task that has ended, or throws the error it failed with. */
export function outcomeOf({ status, result, error }: JsonObject): CallResult {
  if (status === 'completed') return isObject(result) ? result : {}
  if (status === 'failed') throw toError(error)
  throw new GatewayError('CANCELLED', 'The task of this call was cancelled', {
    hint: 'Call the tool again.',
  })
}

function toError(error: unknown): RpcError {
  const { code, message, data } = isObject(error) ? error : {}
  return new RpcError(
    typeof code === 'number' ? code : RPC.internalError,
    typeof message === 'string' ? message : 'The task failed',
    data,
  )
}
