import { type JsonObject, isObject } from '../../base/json/json.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { taskOf, unknownTask, withoutRelatedTask } from '../../protocol/tasks.ts'
import { type TaskRef, placeOf } from './task-ids.ts'
import type { TaskRecords } from './task-records.ts'
import type { TaskServer } from './task-server.ts'

export interface LegacyTask {
  readonly taskId: string
  readonly ref: TaskRef
  /** The open questions, as stored by the process that kept it. */
  readonly stored: JsonObject | undefined
  readonly server: TaskServer
  readonly records: TaskRecords | undefined
}

/**
 * Answers for the task of a server of 2025-11-25 whose gateway process has ended, in the form of
 * the extension. Its result needs a separate request, and its questions are stored.
 */
export async function askLegacyServer(
  method: string,
  params: JsonObject,
  legacy: LegacyTask,
): Promise<JsonObject> {
  if (method === 'tasks/update') return answerQuestions(params, legacy)
  const { taskId, stored, server } = legacy
  const task = taskOf({ task: await server.ask(method, { taskId }) })
  if (!task) throw unknownTask()
  if (method === 'tasks/cancel') return {}
  if (task['status'] === 'input_required') return { ...task, inputRequests: requestsIn(stored) }
  if (task['status'] !== 'completed' && task['status'] !== 'failed') return task
  try {
    const result = withoutRelatedTask(await server.ask('tasks/result', { taskId }))
    return { ...task, status: 'completed', result }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { ...task, status: 'failed', error: error.toFailure() }
  }
}

async function answerQuestions(
  { inputResponses }: JsonObject,
  { ref, stored, server, records }: LegacyTask,
): Promise<JsonObject> {
  const answers = isObject(inputResponses) ? inputResponses : {}
  const open = new Map(questionsIn(stored))
  for (const [key, { id }] of questionsIn(stored)) {
    const answer = answers[key]
    if (!isObject(answer) || (typeof id !== 'string' && typeof id !== 'number')) continue
    await server.answer?.(id, answer, placeOf(ref, { kind: 'http' }))
    open.delete(key)
  }
  const { heldId: id, owner, createdAt, ttlMs } = ref
  const state = { status: 'working', questions: Object.fromEntries(open) }
  await records?.put({ id, owner, expiresAt: createdAt + ttlMs, state })
  return {}
}

function requestsIn(stored: JsonObject | undefined): JsonObject {
  const requests = questionsIn(stored).map(([key, { id: _id, ...question }]) => [key, question])
  return Object.fromEntries(requests)
}

function questionsIn(stored: JsonObject | undefined): [key: string, question: JsonObject][] {
  const { questions } = stored ?? {}
  return Object.entries(isObject(questions) ? questions : {}).flatMap(([key, question]) =>
    isObject(question) ? [[key, question]] : [],
  )
}
