import type { JsonObject } from '../../base/json/json.ts'
import { pause } from '../../base/flow/time.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import {
  isTaskRequest,
  isTerminal,
  toLegacyTask,
  unknownTask,
  withRelatedTask,
} from '../../protocol/tasks.ts'
import { askAll } from '../questions/ask-client.ts'
import type { Authorized, CallResult, Identified } from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'
import { askLegacyServer } from '../tasks/ask-legacy-server.ts'
import { outcomeOf } from '../tasks/follow-task.ts'
import type { HeldTask } from '../tasks/held-task.ts'
import { TaskLost, answerLost } from '../tasks/lost-task.ts'
import type { TaskRef } from '../tasks/task-ids.ts'
import type { Ask, TaskServer } from '../tasks/task-server.ts'
import type { TaskRequest, Tasks } from '../tasks/tasks.ts'

/** How often a task elsewhere is polled while a client of 2025-11-25 waits for its result. */
const POLL_MS = 500

/** Answers requests about tasks that are kept here, by other replicas, or by servers. */
export function taskRequests(state: Tasks): Layer<Authorized, Authorized, CallResult> {
  return (next) => (call) => {
    if (!isTaskRequest(call.method)) return next(call)
    const { upstream, signal, client, agent } = call
    return answerTaskRequest(state, call, {
      ask: async (method, params = {}) => next({ ...call, method, params }),
      answer: async (id, answer, place) =>
        upstream.answer?.(id, answer, { signal, client, agent: agent.id, place }),
    })
  }
}

export async function answerTaskRequest(
  state: Tasks,
  call: Identified,
  server: TaskServer,
): Promise<CallResult> {
  const ref = state.find(call.params['taskId'], ownerOfResults(call.agent))
  if (!ref) throw unknownTask()
  const held = () => (ref.heldId === '' ? undefined : state.held.find(ref.heldId, ref.owner))
  const ask = askerOf(state, { ref, held, call, server })
  return call.client.era === 'legacy'
    ? answerLegacy(call, ask, held)
    : ask(call.method, call.params)
}

interface Found {
  readonly ref: TaskRef
  /** The task while this process keeps it. */
  readonly held: () => HeldTask | undefined
  readonly call: Identified
  readonly server: TaskServer
}

function askerOf(state: Tasks, { ref, held, call, server }: Found): Ask {
  const taskId = String(call.params['taskId'])

  /** Asks the process that keeps the task, or the server that runs it. */
  async function askOwner(method: string, params: JsonObject): Promise<JsonObject> {
    const task = held()
    if (task) return askHeld(state, task, { taskId, method, params })
    if (ref.replica !== state.replica && ref.replica !== '') {
      if (!state.relay) throw new TaskLost(`The gateway that ran this task has ended`)
      const request = { taskId, owner: ref.owner, method, params }
      return state.relay.forward(ref.replica, request, call.signal)
    }
    if (ref.run !== state.run && ref.run !== '')
      throw new TaskLost('The gateway was restarted while this task ran')
    if (ref.heldId === '') return server.ask(method, params)
    throw new TaskLost('The result of this task had to make room for others')
  }

  /** Answers without the process that kept it: how it ended, or what its server says. */
  async function askWithout(
    lost: TaskLost,
    method: string,
    params: JsonObject,
  ): Promise<JsonObject> {
    const isOver = ref.createdAt + ref.ttlMs < Date.now()
    if (ref.heldId === '' || isOver) throw lost
    const stored = await state.records?.read(ref.heldId, ref.owner)
    if (stored && isTerminal(stored)) return method === 'tasks/get' ? { taskId, ...stored } : {}
    if (ref.upstreamId === '') throw lost
    if (ref.era === 'modern') return server.ask(method, params)
    return askLegacyServer(method, params, { taskId, ref, stored, server, records: state.records })
  }

  return async (method, params = { taskId }) => {
    try {
      return await askOwner(method, params).catch(async (error: unknown) => {
        if (error instanceof TaskLost) return askWithout(error, method, params)
        throw error
      })
    } catch (error) {
      if (error instanceof TaskLost) return answerLost(method, taskId, ref, error)
      throw error
    }
  }
}

/** Answers for a task that this process keeps. */
export async function askHeld(
  state: Tasks,
  task: HeldTask,
  { taskId, method, params }: Omit<TaskRequest, 'owner'>,
): Promise<JsonObject> {
  if (method === 'tasks/get') {
    const described = task.describe(taskId)
    await state.stored(task)
    return described
  }
  if (method === 'tasks/update') task.answer(params['inputResponses'])
  if (method === 'tasks/cancel') task.cancel('The task was cancelled by request.')
  return {}
}

/** Answers a client of 2025-11-25, which gets the task itself and waits for its result. */
async function answerLegacy(
  call: Identified,
  ask: Ask,
  held: () => HeldTask | undefined,
): Promise<CallResult> {
  if (call.method === 'tasks/result') return waitForResult(call, ask, held)
  if (call.method === 'tasks/cancel') {
    const { status, ...before } = await ask('tasks/get')
    if (isTerminal({ status }))
      throw new RpcError(
        RPC.invalidParams,
        `Cannot cancel task: already in terminal status '${String(status)}'`,
      )
    await ask('tasks/cancel')
    // The server may take its time, but the client has to be told that it is cancelled.
    return toLegacyTask({ ...before, status: 'cancelled' })
  }
  return toLegacyTask(await ask('tasks/get'))
}

async function waitForResult(
  { params, client, signal }: Identified,
  ask: Ask,
  held: () => HeldTask | undefined,
): Promise<CallResult> {
  const taskId = String(params['taskId'])
  const asked = new Set<string>()
  const toParams = (question: JsonObject) => withRelatedTask(question, taskId)
  for (;;) {
    const kept = held()
    const seen = kept?.changes
    const task = await ask('tasks/get')
    if (isTerminal(task)) return withRelatedTask(outcomeOf(task), taskId)
    const inputResponses = await askAll(task['inputRequests'], { client, signal, asked, toParams })
    if (Object.keys(inputResponses).length > 0)
      await ask('tasks/update', { taskId, inputResponses })
    else if (kept) await kept.changedSince(seen, signal)
    else await pause(POLL_MS, signal)
  }
}
