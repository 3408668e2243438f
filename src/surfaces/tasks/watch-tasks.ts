import { setTimeout as wait } from 'node:timers/promises'
import type { Request, TaskWatch, WatchedTasks } from '../../gateway/request.ts'
import { intervalOf } from '../../gateway/tasks/follow-task.ts'
import { isTerminal } from '../../protocol/tasks.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { toAbortSignal } from '../../base/flow/signal.ts'

/** The most tasks that one client may watch; each is polled. */
const MAX_TASKS = 100
const POLL_MS = 5000

/**
 * Follows tasks for a client that wants notifications. The gateway polls each server as often as it
 * suggests, which also works for a server that sends no notifications or runs at another replica.
 */
export async function watchTasks(
  { taskIds, caller, client, signal }: TaskWatch,
  handle: (request: Request) => Promise<JsonObject>,
): Promise<WatchedTasks> {
  const ask = async (taskId: string) =>
    handle({ method: 'tasks/get', params: { taskId }, caller, client, signal, surface: undefined })
  const found = await Promise.all(
    taskIds.slice(0, MAX_TASKS).map(async (taskId) => ask(taskId).catch(() => undefined)),
  )
  const tasks = found.filter((task) => task !== undefined)

  async function follow(first: JsonObject, send: (task: JsonObject) => void): Promise<void> {
    const aborted = toAbortSignal(signal)
    let task = first
    for (let sent = ''; !signal.aborted;) {
      const state = JSON.stringify(task)
      if (state !== sent) send(withoutType(task))
      sent = state
      if (isTerminal(task)) return
      await wait(intervalOf(task, POLL_MS), undefined, { signal: aborted })
      task = await ask(String(task['taskId']))
    }
  }

  return {
    taskIds: tasks.map((task) => String(task['taskId'])),
    start(send) {
      // Ends with the subscription or the first error, which the client sees when it polls itself.
      for (const task of tasks) follow(task, send).catch(() => undefined)
    },
  }
}

function withoutType({ resultType: _type, ...task }: JsonObject): JsonObject {
  return task
}
