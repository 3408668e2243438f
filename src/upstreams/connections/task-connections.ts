import type { Place } from '../../gateway/upstream.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { TaskLost } from '../../gateway/tasks/lost-task.ts'
import { taskOf } from '../../protocol/tasks.ts'
import type { Connection, Connections } from './connections.ts'

/** A request; `place` is given for one that may make a task, and for one about a task. */
export interface TaskExchange {
  readonly method: string
  readonly params: JsonObject
  readonly sent: Promise<JsonObject>
  readonly place: Place | undefined
}

/** The connection that a task was made on. What a child process knew of its tasks is gone with it. */
export function connectionOfTask(
  connections: Connections,
  place: Place | undefined,
  kind: 'stdio' | 'http',
): Connection | undefined {
  if (place?.connection === undefined) return undefined
  const [, starts = '', key = ''] = /^(\d+) (.*)$/s.exec(place.connection) ?? []
  const known = connections.takeAgain(key)
  if (kind === 'http' || (known?.line.live && known.line.starts === Number(starts))) return known
  if (known) connections.leave(known)
  throw new TaskLost('The process of the server that ran this task has ended')
}

/** The answer to a request: while a task may come of it, and while that runs, the connection stays open. */
export async function keepingTask(
  connections: Connections,
  connection: Connection,
  { method, params, sent, place }: TaskExchange,
): Promise<JsonObject> {
  if (!place) return sent
  connection.held += 1
  try {
    const result = await sent
    place.connection = `${connection.line.starts} ${connection.key}`
    const { taskId, ttlMs } = taskOf(result) ?? {}
    if (typeof taskId === 'string')
      connections.keepFor(connection, taskId, typeof ttlMs === 'number' ? ttlMs : Infinity)
    if (method === 'tasks/result') connections.forgetTask(connection, String(params['taskId']))
    return result
  } finally {
    connection.held -= 1
  }
}
