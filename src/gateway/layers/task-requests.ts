import { ERAS } from '../../protocol/eras/eras.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { isTaskRequest, isTerminal, unknownTask } from '../../protocol/tasks.ts'
import { toLegacyTask, withRelatedTask } from '../../protocol/eras/legacy/tasks.ts'
import { askAll } from '../questions/ask-client.ts'
import type { Authorized, CallResult, Identified } from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'
import { outcomeOf } from '../tasks/follow-task.ts'
import type { HeldTask } from '../tasks/held-task.ts'
import { TaskLost, answerLost, refuseLost } from '../tasks/lost-task.ts'
import type { TaskRef } from '../tasks/task-ids.ts'
import type { TaskRequest, Tasks } from '../tasks/tasks.ts'

/** Sends a request about a task to the server that runs it, or to the store that has it. */
export type AskTask = (method: string, params: JsonObject) => Promise<JsonObject>

/** Answers requests about tasks that are kept here, by other replicas, or by servers. */
export function taskRequests(state: Tasks): Layer<Authorized, Authorized, CallResult> {
  return (next) => (call) =>
    isTaskRequest(call.method)
      ? answerTaskRequest(state, call, async (method, params) => next({ ...call, method, params }))
      : next(call)
}

export async function answerTaskRequest(
  state: Tasks,
  call: Identified,
  ask: AskTask,
): Promise<CallResult> {
  const ref = state.find(call.params['taskId'], ownerOfResults(call.agent))
  if (!ref) throw unknownTask()
  const request = { call, ref, ask }
  return ERAS[call.client.era].asksForTasks
    ? answerLegacy(state, request).catch(refuseLost)
    : answerModern(state, request)
}

interface AboutTask {
  readonly call: Identified
  readonly ref: TaskRef
  readonly ask: AskTask
}

/** Whether a server of 2025-11-25 runs it for a client of 2025-11-25: it is not converted. */
function isPassedOn({ era, heldId }: TaskRef): boolean {
  return ERAS[era].asksForTasks && heldId === ''
}

/** Answers a client of 2026-07-28, whichever process keeps the task. */
async function answerModern(state: Tasks, { call, ref, ask }: AboutTask): Promise<CallResult> {
  const { method, params, signal } = call
  const taskId = String(params['taskId'])
  if (isPassedOn(ref)) throw unknownTask()

  /** Asks the process that keeps the task, or the server that runs it. */
  async function askOwner(): Promise<JsonObject> {
    const task = state.held.find(ref.heldId, ref.owner)
    if (task) return askHeld(state, task, { taskId, method, params })
    if (ref.replica !== state.replica && ref.replica !== '') {
      if (!state.relay) throw new TaskLost(`The gateway that ran this task has ended`)
      const request = { taskId, owner: ref.owner, method, params }
      return state.relay.forward(ref.replica, request, signal)
    }
    if (ref.run !== state.run && ref.run !== '')
      throw new TaskLost('The gateway was restarted while this task ran')
    if (ref.heldId === '') return ask(method, params)
    throw new TaskLost('The result of this task was evicted to free memory')
  }

  /** Answers without the process that kept it: how it ended, or the script that waits. */
  async function answerFromRecords(lost: TaskLost): Promise<JsonObject> {
    const isOver = ref.createdAt + ref.ttlMs < Date.now()
    if (ref.heldId === '' || isOver) throw lost
    const stored = await state.records?.read(ref.heldId, ref.owner)
    if (stored && isTerminal(stored)) return method === 'tasks/get' ? { taskId, ...stored } : {}
    if (ref.server !== '') throw lost
    return ask(method, params)
  }

  try {
    return await askOwner().catch(async (error: unknown) => {
      if (error instanceof TaskLost) return answerFromRecords(error)
      throw error
    })
  } catch (error) {
    if (error instanceof TaskLost) return answerLost(method, taskId, ref, error)
    throw error
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
  if (method === 'tasks/cancel') task.cancel(CANCELLED)
  return {}
}

const CANCELLED = 'The task was cancelled by request.'

/** Answers a client of 2025-11-25, whose tasks live as long as the process that made them. */
async function answerLegacy(state: Tasks, { call, ref, ask }: AboutTask): Promise<CallResult> {
  const { method, params } = call
  if (ref.run !== state.run)
    throw new TaskLost('The gateway was restarted, or another replica of it runs this task')
  if (isPassedOn(ref)) return ask(method, params)
  const task = state.held.find(ref.heldId, ref.owner)
  if (!task) throw unknownTask()
  if (method === 'tasks/result') return waitForResult(call, task)
  const taskId = String(params['taskId'])
  if (method === 'tasks/cancel') {
    const { status } = toLegacyTask(task.describe(taskId))
    if (task.ended)
      throw new RpcError(
        RPC.invalidParams,
        `Cannot cancel task: already in terminal status '${String(status)}'`,
      )
    task.cancel(CANCELLED)
  }
  return toLegacyTask(task.describe(taskId))
}

async function waitForResult(
  { params, client, signal }: Identified,
  task: HeldTask,
): Promise<CallResult> {
  const taskId = String(params['taskId'])
  const asked = new Set<string>()
  const toParams = (question: JsonObject) => withRelatedTask(question, taskId)
  for (;;) {
    const seen = task.changes
    const state = task.describe(taskId)
    if (isTerminal(state)) return withRelatedTask(outcomeOf(state), taskId)
    const inputResponses = await askAll(state['inputRequests'], { client, signal, asked, toParams })
    if (Object.keys(inputResponses).length > 0) task.answer(inputResponses)
    else await task.changedSince(seen, signal)
  }
}
