import { type JsonObject, isObject } from '../base/json/json.ts'
import { RPC, type RequestId, RpcError } from './json-rpc.ts'

/** The extension of 2026-07-28 in which a call is answered with a task, which the client polls. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
/** The `_meta` key by which 2025-11-25 says which task a message belongs to. */
const RELATED_TASK = 'io.modelcontextprotocol/related-task'

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

/** Converts a task for a client of 2025-11-25, where an error result means a failed task. */
export function toLegacyTask(task: JsonObject): JsonObject {
  const {
    resultType: _type,
    ttlMs,
    pollIntervalMs,
    inputRequests: _asked,
    result,
    error,
    ...rest
  } = task
  const isError = isObject(result) && result['isError'] === true
  const said = isObject(error) && rest['statusMessage'] === undefined ? error['message'] : undefined
  return {
    ...rest,
    ...(isError && { status: 'failed' }),
    ...(said !== undefined && { statusMessage: said }),
    ttl: ttlMs ?? null,
    ...(pollIntervalMs !== undefined && { pollInterval: pollIntervalMs }),
  }
}

/** Marks a message of 2025-11-25 as part of a task; only `tasks/result` and questions need it. */
export function withRelatedTask(message: JsonObject, taskId: string): JsonObject {
  const meta = isObject(message['_meta']) ? message['_meta'] : {}
  return { ...message, _meta: { ...meta, [RELATED_TASK]: { taskId } } }
}

/** Removes that mark: the extension names the task only at the root of its messages. */
export function withoutRelatedTask(message: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = message
  if (!isObject(meta) || !(RELATED_TASK in meta)) return message
  const { [RELATED_TASK]: _related, ...others } = meta
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest
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

/** The most tasks of one connection whose progress is passed on; the oldest are forgotten. */
const MAX_TASKS = 100

type OnProgress = (params: JsonObject) => void

/**
 * The progress of requests that were answered with a task of 2025-11-25: their tokens stay valid
 * until the task ends.
 */
export class TaskProgress {
  readonly #listeners = new Map<RequestId, OnProgress>()

  /** Returns the listener for a token, if its request was answered with a task. */
  listener(token: RequestId): OnProgress | undefined {
    return this.#listeners.get(token)
  }

  /** Keeps the listener of a request that was answered with a task. */
  keep(token: RequestId, { task }: JsonObject, onProgress: OnProgress): void {
    if (!isObject(task) || isTerminal(task)) return
    const [oldest] = this.#listeners.keys()
    if (oldest !== undefined && this.#listeners.size >= MAX_TASKS) this.#listeners.delete(oldest)
    this.#listeners.set(token, onProgress)
  }
}
