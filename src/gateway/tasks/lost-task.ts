import type { JsonObject } from '../../base/json/json.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { unknownTask } from '../../protocol/tasks.ts'
import type { TaskRef } from './task-ids.ts'

/** Thrown if the process that ran a task has ended, and the task with it. */
export class TaskLost extends RpcError {
  constructor(message: string) {
    super(RPC.invalidParams, message)
  }
}

const NEXT = 'Whether its work was done is not known: check, then call the tool again.'

/**
 * Answers about such a task, for as long as it could have been asked for: it has failed, and its
 * client learns why. An unknown id would leave open whether the call ever began.
 */
export function answerLost(
  method: string,
  taskId: string,
  ref: TaskRef,
  lost: TaskLost,
): JsonObject {
  const { createdAt, ttlMs } = ref
  if (createdAt + ttlMs < Date.now()) throw unknownTask()
  if (method !== 'tasks/get') return {}
  const message = `${lost.message}. ${NEXT}`
  const at = new Date(createdAt).toISOString()
  return {
    taskId,
    status: 'failed',
    statusMessage: message,
    createdAt: at,
    lastUpdatedAt: at,
    ttlMs: Number.isFinite(ttlMs) ? ttlMs : null,
    error: { code: RPC.internalError, message },
  }
}

/** Rethrows for a client of 2025-11-25, whose task is no longer known. */
export function refuseLost(error: unknown): never {
  if (!(error instanceof TaskLost)) throw error
  throw new RpcError(RPC.invalidParams, `${error.message}: the task is no longer known. ${NEXT}`)
}
