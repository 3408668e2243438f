import { setTimeout as wait } from 'node:timers/promises'
import type { JsonObject } from '../../base/json/json.ts'
import { toAbortSignal } from '../../base/flow/signal.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import {
  isTaskRequest,
  isTerminal,
  taskOf,
  toLegacyTask,
  unknownTask,
  withRelatedTask,
  withoutRelatedTask,
} from '../../protocol/tasks.ts'
import { askAll } from '../questions/ask-client.ts'
import type { Authorized, CallResult, Identified } from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'
import { outcomeOf } from '../tasks/follow-task.ts'
import type { HeldTask } from '../tasks/held-task.ts'
import { TaskLost, answerLost } from '../tasks/lost-task.ts'
import type { TaskRef } from '../tasks/task-ids.ts'
import type { Tasks } from '../tasks/tasks.ts'

/** Asks whoever runs the task, in the form of the extension. */
type Ask = (method: string, params?: JsonObject) => Promise<JsonObject>

/** How often a task that runs elsewhere is asked for while a client of 2025-11-25 waits for its result. */
const POLL_MS = 500

/** Answers requests about tasks: of those kept here, of those of other replicas, and of those of servers. */
export function taskRequests(state: Tasks): Layer<Authorized, Authorized, CallResult> {
  return (next) => async (call) =>
    isTaskRequest(call.method)
      ? answerTaskRequest(state, call, async (method, params = {}) =>
          next({ ...call, method, params }),
        )
      : next(call)
}

/** Answers a request about a task; `askServer` reaches the server that runs it, or what is stored of it. */
export async function answerTaskRequest(
  state: Tasks,
  call: Identified,
  askServer: Ask,
): Promise<CallResult> {
  const ref = state.find(call.params['taskId'], ownerOfResults(call.agent))
  if (!ref) throw unknownTask()
  const task = ref.heldId === '' ? undefined : state.held.find(ref.heldId, ref.owner)
  const ask = askerOf(state, { ref, task, call, askServer })
  return call.client.era === 'legacy'
    ? answerLegacy(call, ask, task)
    : ask(call.method, call.params)
}

interface Found {
  readonly ref: TaskRef
  readonly task: HeldTask | undefined
  readonly call: Identified
  readonly askServer: Ask
}

function askerOf(state: Tasks, { ref, task, call, askServer }: Found): Ask {
  const taskId = String(call.params['taskId'])

  /** Whoever runs it, or keeps it. */
  async function askOwner(method: string, params: JsonObject): Promise<JsonObject> {
    if (task) return askHeld(task, taskId, method, params)
    if (ref.replica !== state.replica && ref.replica !== '') {
      if (!state.relay) throw new TaskLost(`The gateway that ran this task has ended`)
      const request = { taskId, owner: ref.owner, method, params }
      return state.relay.forward(ref.replica, request, call.signal)
    }
    if (ref.run !== state.run && ref.run !== '')
      throw new TaskLost('The gateway was restarted while this task ran')
    if (ref.heldId === '') return askServer(method, params)
    throw new TaskLost('The result of this task had to make room for others')
  }

  return async (method, params = { taskId }) => {
    try {
      return await askOwner(method, params)
    } catch (error) {
      if (!(error instanceof TaskLost)) throw error
      const stored =
        ref.heldId === '' ? undefined : await state.records?.read(ref.heldId, ref.owner)
      if (stored) return method === 'tasks/get' ? { taskId, ...stored } : {}
      const outlives = ref.heldId !== '' && ref.upstreamId !== ''
      if (!outlives) return answerLost(method, taskId, ref, error)
      return ref.era === 'modern'
        ? askServer(method, params)
        : askLegacyServer(method, taskId, askServer)
    }
  }
}

/** The task of a server of 2025-11-25, in the form of the extension: its result has to be asked for by itself. */
async function askLegacyServer(method: string, taskId: string, ask: Ask): Promise<JsonObject> {
  if (method === 'tasks/update') return {}
  const task = taskOf({ task: await ask(method, { taskId }) })
  if (!task) throw unknownTask()
  if (method === 'tasks/cancel') return {}
  if (task['status'] !== 'completed' && task['status'] !== 'failed') return task
  try {
    const result = withoutRelatedTask(await ask('tasks/result', { taskId }))
    return { ...task, status: 'completed', result }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { ...task, status: 'failed', error: error.toFailure() }
  }
}

/** The answer of a task that this process keeps. */
export function askHeld(
  task: HeldTask,
  taskId: string,
  method: string,
  params: JsonObject,
): JsonObject {
  if (method === 'tasks/get') return task.describe(taskId)
  if (method === 'tasks/update') task.answer(params['inputResponses'])
  if (method === 'tasks/cancel') task.cancel('The task was cancelled by request.')
  return {}
}

/** The same for a client of 2025-11-25, whose requests give the task itself, and wait for its result. */
async function answerLegacy(
  call: Identified,
  ask: Ask,
  task: HeldTask | undefined,
): Promise<CallResult> {
  if (call.method === 'tasks/result') return waitForResult(call, ask, task)
  if (call.method === 'tasks/cancel') {
    const { status, ...before } = await ask('tasks/get')
    if (isTerminal({ status }))
      throw new RpcError(
        RPC.invalidParams,
        `Cannot cancel task: already in terminal status '${String(status)}'`,
      )
    await ask('tasks/cancel')
    // The server may take its time; the client has to be told that it is cancelled.
    return toLegacyTask({ ...before, status: 'cancelled' })
  }
  return toLegacyTask(await ask('tasks/get'))
}

async function waitForResult(
  { params, client, signal }: Identified,
  ask: Ask,
  held: HeldTask | undefined,
): Promise<CallResult> {
  const taskId = String(params['taskId'])
  const asked = new Set<string>()
  const toParams = (question: JsonObject) => withRelatedTask(question, taskId)
  for (;;) {
    const seen = held?.changes
    const task = await ask('tasks/get')
    if (isTerminal(task)) return withRelatedTask(outcomeOf(task), taskId)
    const inputResponses = await askAll(task['inputRequests'], { client, signal, asked, toParams })
    if (Object.keys(inputResponses).length > 0)
      await ask('tasks/update', { taskId, inputResponses })
    else if (held) await held.changedSince(seen, signal)
    else await wait(POLL_MS, undefined, { signal: toAbortSignal(signal) })
  }
}
