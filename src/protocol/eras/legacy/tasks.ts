import { type JsonObject, isObject } from '../../../base/json/json.ts'
import type { RequestId } from '../../json-rpc.ts'
import { isTerminal } from '../../tasks.ts'

/** The `_meta` key by which 2025-11-25 says which task a message belongs to. */
const RELATED_TASK = 'io.modelcontextprotocol/related-task'

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
