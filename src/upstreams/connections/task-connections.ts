import { ERAS } from '../../protocol/eras/eras.ts'
import type { UsedConnection } from '../../gateway/upstream.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { TaskLost } from '../../gateway/tasks/lost-task.ts'
import { taskOf } from '../../protocol/tasks.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'

/** A request; `place` is set if it may create a task or is about one. */
export interface TaskExchange {
  readonly kind: 'stdio' | 'http'
  readonly method: string
  readonly params: JsonObject
  readonly sent: Promise<JsonObject>
  readonly place: UsedConnection | undefined
}

/** Returns the connection that a task was created on. The task ends with it. */
export function connectionOfTask(
  connections: Connections,
  place: UsedConnection | undefined,
): Connection | undefined {
  if (place?.connection === undefined) return undefined
  const [, opening = '', key = ''] = /^(\d+) (.*)$/s.exec(place.connection) ?? []
  const known = connections.takeAgain(key)
  if (known?.line.live && known.line.opening === Number(opening)) return known
  if (known) connections.leave(known)
  throw connectionLost()
}

export function connectionLost(): TaskLost {
  return new TaskLost('The connection to the server that ran this task has ended')
}

/** Returns the answer; the connection stays open while a task may follow, and while it runs. */
export const keepingTask = (connection: Connection, exchange: TaskExchange): Promise<JsonObject> =>
  exchange.place ? keepOpen(connection, exchange, exchange.place) : exchange.sent

async function keepOpen(
  connection: Connection,
  { kind, method, params, sent }: TaskExchange,
  place: UsedConnection,
): Promise<JsonObject> {
  connection.held += 1
  try {
    const result = await sent
    // Any connection reaches the tasks of a remote server without sessions.
    if (kind === 'stdio' || ERAS[connection.era].hasSession)
      place.connection = `${connection.line.opening} ${connection.key}`
    const { taskId, ttlMs } = taskOf(result) ?? {}
    if (typeof taskId === 'string')
      connection.keepFor(taskId, typeof ttlMs === 'number' ? ttlMs : Infinity)
    if (method === 'tasks/result') connection.forgetTask(String(params['taskId']))
    return result
  } finally {
    connection.held -= 1
  }
}
