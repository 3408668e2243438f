import { type JsonObject, isObject } from '../base/json/json.ts'
import { RPC, RpcError } from './json-rpc.ts'

/** The extension of 2026-07-28 in which a call is answered with a task, which the client polls. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
/** The requests about a task, in either era. */
const TASK_REQUESTS = new Set(['tasks/get', 'tasks/update', 'tasks/cancel', 'tasks/result'])

export function isTaskRequest(method: string): boolean {
  return TASK_REQUESTS.has(method)
}

/** Whether a client or a server declared the extension. */
export function declaresTasks({ extensions }: JsonObject): boolean {
  return isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined
}

export function withTasks(capabilities: JsonObject): JsonObject {
  const { extensions } = capabilities
  return {
    ...capabilities,
    extensions: { ...(isObject(extensions) && extensions), [TASKS_EXTENSION]: {} },
  }
}

export function withoutTasks(capabilities: JsonObject): JsonObject {
  const { extensions } = capabilities
  if (!isObject(extensions) || extensions[TASKS_EXTENSION] === undefined) return capabilities
  const { [TASKS_EXTENSION]: _tasks, ...others } = extensions
  return { ...capabilities, extensions: others }
}

/** Returns the task that a call was answered with, in the form of the extension for both eras. */
export function taskOf(result: JsonObject): JsonObject | undefined {
  if (result['resultType'] === 'task' && typeof result['taskId'] === 'string') return result
  const { task } = result
  if (!isObject(task) || typeof task['taskId'] !== 'string' || typeof task['status'] !== 'string')
    return undefined
  const { ttl, pollInterval, ...rest } = task
  return {
    ...rest,
    ttlMs: ttl ?? null,
    ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }),
  }
}

const TERMINAL: readonly unknown[] = ['completed', 'failed', 'cancelled']

export function isTerminal({ status }: JsonObject): boolean {
  return TERMINAL.includes(status)
}

const NEEDED = { extensions: { [TASKS_EXTENSION]: {} } }

/** The answer to a client that asks about tasks without having declared the extension. */
export function missingTasks(): RpcError {
  return new RpcError(
    RPC.missingCapability,
    `Missing required client capability: declare ${TASKS_EXTENSION} under "extensions" of the client capabilities`,
    { requiredCapabilities: NEEDED },
  )
}

/** Whether an error says that the server can answer the call only with a task. */
export function requiresTasks(error: unknown): boolean {
  if (!(error instanceof RpcError) || error.code !== RPC.missingCapability) return false
  const needed = isObject(error.data) ? error.data['requiredCapabilities'] : undefined
  return isObject(needed) && declaresTasks(needed)
}

/** One answer for every id that is not the caller's: it discloses nothing about others' tasks. */
export function unknownTask(): RpcError {
  return new RpcError(
    RPC.invalidParams,
    'Task not found: it has expired, was never made, or belongs to another caller. Call the tool again.',
  )
}
