import { ERAS } from '../../protocol/eras/eras.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { askAll } from '../../gateway/questions/ask-client.ts'
import type { CallResult, Client, Identified } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type AskTask, answerTaskRequest, askHeld } from '../../gateway/layers/task-requests.ts'
import { ownerOfResults } from '../../gateway/agents/on-behalf-of.ts'
import { HeldTask } from '../../gateway/tasks/held-task.ts'
import { keepTask, newTask, resultOrTask, tooManyTasks } from '../../gateway/tasks/keep-task.ts'
import { TaskLost, answerLost } from '../../gateway/tasks/lost-task.ts'
import type { TaskRef } from '../../gateway/tasks/task-ids.ts'
import { unknownTask } from '../../protocol/tasks.ts'
import { toLegacyTask } from '../../protocol/eras/legacy/tasks.ts'
import { toToolError } from '../failure.ts'
import type { World } from '../world.ts'
import { grantFor } from './may-run-scripts.ts'
import { OpenCalls } from './host/open-calls.ts'
import { type Begin, RUN_SCRIPT, runStarted } from './run/run-started.ts'
import { type StartedScript, WHY, continuedScript } from './run/start-script.ts'
import { type ExpiredScript, type ScriptMemo, stateOf } from './run/suspended-scripts.ts'

/** Whether a script may go on as a task: its client knows tasks and does not have too many. */
export function wantsTask({ client, params, agent }: Identified, { tasks }: World): boolean {
  const era = ERAS[client.era]
  if (!era.takesTask(params, client.capabilities)) return false
  if (tasks.held.hasRoomFor(ownerOfResults(agent))) return true
  if (!era.asksForTasks) return false
  throw tooManyTasks('run the script without a task')
}

/**
 * Answers with the result of a script that ends soon. One that asks a person or takes longer goes
 * on as a task, as does one whose client of 2025-11-25 asks for a task.
 */
export async function answerAsTask(
  call: Identified,
  world: World,
  begin: (call: Identified, task: string) => Promise<StartedScript>,
): Promise<CallResult> {
  const { tasks: state, scripts: runner } = world
  const { afterMs, ttlMs } = runner.tasks
  const task = newTask(call, { ttlMs, asksAsTask: true })
  const sent = { ...call, signal: task.signal, client: clientOf(task, call) }
  const work = task.run(runAsTask(async () => begin(sent, task.heldId), sent, world, task))
  work.catch(() => undefined)
  const keep = () => keepTask(state, task, state.sealOwn(call, RUN_SCRIPT, task))
  if (ERAS[call.client.era].asksForTasks) return { task: toLegacyTask(keep()) }
  return resultOrTask({ task, work }, { afterMs, call, keep })
}

/**
 * Questions of the task have the form of the modern era, whatever the era of the client: a question
 * that ends its call can be stored, one in the middle of a call cannot.
 */
function clientOf(task: HeldTask, { client }: Identified): Client {
  return { ...task.clientFor(client), era: 'modern' }
}

/** Runs a script to its end. While its task asks a person, it is stored and holds no slot. */
async function runAsTask(
  begin: Begin,
  call: Identified,
  world: World,
  task: HeldTask,
): Promise<CallResult> {
  let answer = await resultOf(begin, call, world)
  while (answer['resultType'] === 'input_required') {
    const { inputRequests, requestState } = answer
    const inputResponses = await askTogether(inputRequests, call, task).catch(
      async (error: unknown) => {
        await world.scripts.suspended.remove(String(requestState))
        throw error
      },
    )
    const params = { ...call.params, requestState, inputResponses }
    const answered = { ...call, params }
    // The rules may have changed meanwhile.
    const now = world.latest()
    const go = async () => continuedScript(requestState, answered, { world: now })
    answer = await resultOf(go, answered, now)
  }
  return answer
}

/** Returns a failure of the script as a failed tool result; the task itself has completed. */
async function resultOf(begin: Begin, call: Identified, world: World): Promise<CallResult> {
  try {
    return await runStarted(begin, call, world)
  } catch (error) {
    if (error instanceof GatewayError && !call.signal.aborted) return toToolError(error)
    throw error
  }
}

async function askTogether(
  inputRequests: unknown,
  { client, signal }: Identified,
  task: HeldTask,
): Promise<JsonObject> {
  const questions = Object.entries(isObject(inputRequests) ? inputRequests : {})
  const answers = await Promise.all(
    questions.map(async ([key, question]) =>
      askAll({ [key]: question }, { client: task.clientFor(client, key), signal }),
    ),
  )
  return Object.assign({}, ...answers)
}

/** Answers a request about the task of a script, which may be stored if its process has ended. */
export async function answerScriptTask(call: Identified, world: World): Promise<CallResult> {
  grantFor(call, world)
  const { tasks: state } = world
  const ask: AskTask = async (method, params) => {
    const taskId = String(call.params['taskId'])
    const ref = state.find(taskId, ownerOfResults(call.agent))
    if (!ref) throw unknownTask()
    const stored = await world.scripts.suspended.read(stateOf(ref.heldId), ref.owner)
    // Another request may already have resumed it.
    const held = state.held.find(ref.heldId, ref.owner)
    if (held) return askHeld(state, held, { taskId, method, params })
    if (!stored || 'why' in stored) return answerGone(method, taskId, { ref, stored, world })
    if (method === 'tasks/get') return describeStored(taskId, ref, stored)
    if (method === 'tasks/cancel') await world.scripts.suspended.remove(stateOf(ref.heldId))
    if (method === 'tasks/update') resumeHere(ref, params, { call, world })
    return {}
  }
  return answerTaskRequest(state, call, ask)
}

/** Resumes here the task of a process that has ended. */
function resumeHere(
  { heldId, owner, createdAt, ttlMs }: TaskRef,
  { inputResponses }: JsonObject,
  { call, world }: { readonly call: Identified; readonly world: World },
): void {
  const leftMs = Math.max(1, createdAt + ttlMs - Date.now())
  const task = new HeldTask({ heldId, owner, ttlMs: leftMs, asksAsTask: true })
  task.handOver()
  world.tasks.hold(task)
  const params = { requestState: stateOf(heldId), inputResponses }
  const answered = { ...call, params, client: clientOf(task, call), signal: task.signal }
  const go = async () => continuedScript(params.requestState, answered, { world })
  task.run(runAsTask(go, answered, world, task)).catch(() => undefined)
}

function describeStored(taskId: string, { createdAt, ttlMs }: TaskRef, memo: ScriptMemo) {
  const at = new Date(createdAt).toISOString()
  return {
    taskId,
    status: 'input_required',
    createdAt: at,
    lastUpdatedAt: at,
    ttlMs,
    inputRequests: new OpenCalls(memo.open).inputRequests,
  }
}

interface Gone {
  readonly ref: TaskRef
  readonly stored: ExpiredScript | undefined
  readonly world: World
}

/** A resumed script may still run at another replica until its time is up; then it is lost. */
function answerGone(method: string, taskId: string, { ref, stored, world }: Gone): JsonObject {
  const { createdAt, ttlMs } = ref
  const runsUntil = (stored?.resumedAt ?? 0) + world.scripts.maxWallMs
  if (method === 'tasks/get' && runsUntil > Date.now()) {
    const at = new Date(createdAt).toISOString()
    return { taskId, status: 'working', createdAt: at, lastUpdatedAt: at, ttlMs }
  }
  const why =
    stored && stored.why !== 'resumed'
      ? WHY[stored.why]
      : 'The gateway was restarted while this script ran'
  return answerLost(method, taskId, ref, new TaskLost(why))
}
