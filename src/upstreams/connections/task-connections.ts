import type { Place } from '../../gateway/upstream.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { TaskLost } from '../../gateway/tasks/lost-task.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import { taskOf } from '../../protocol/tasks.ts'
import type { Connection, Connections } from './connections.ts'
import type { Line } from './line.ts'

/** A request; `place` is set if it may create a task or is about one. */
export interface TaskExchange {
  readonly method: string
  readonly params: JsonObject
  readonly sent: Promise<JsonObject>
  readonly place: Place | undefined
}

/** Returns the connection that a task was created on. Tasks of a child process end with it. */
export function connectionOfTask(
  connections: Connections,
  place: Place | undefined,
  kind: 'stdio' | 'http',
): Connection | undefined {
  if (place?.connection === undefined) return undefined
  const [, starts = '', key = ''] = /^(\d+) (.*)$/s.exec(place.connection) ?? []
  const known = connections.takeAgain(key)
  if (known && ranOn(known.line, place, kind === 'http' ? undefined : Number(starts))) return known
  if (known) connections.leave(known)
  // The session of a remote server can be joined again.
  if (kind === 'http') return undefined
  throw new TaskLost('The process of the server that ran this task has ended')
}

/** Whether a task was created on a line: in its session, or by its `start`th process. */
function ranOn({ live, starts }: Line, { session }: Place, start: number | undefined): boolean {
  if (start !== undefined) return live !== undefined && starts === start
  return session === undefined || live?.session === session
}

/** Whether another process in the session of a task can repeat a request for its result. */
export function isResumable(method: string, place: Place | undefined): boolean {
  return method === 'tasks/result' && place?.session !== undefined
}

/** Answers a question on a connection that was taken for it. */
export async function answerOn(
  connections: Connections,
  connection: Connection,
  { id, answer }: { readonly id: RequestId; readonly answer: JsonObject },
): Promise<void> {
  try {
    const link = await connection.line.link()
    await link.answer?.(id, answer)
  } finally {
    connections.leave(connection)
  }
}

/** Returns the answer; the connection stays open while a task may follow, and while it runs. */
export const keepingTask = (
  connections: Connections,
  connection: Connection,
  exchange: TaskExchange,
): Promise<JsonObject> =>
  exchange.place ? keepOpen(connections, connection, exchange, exchange.place) : exchange.sent

async function keepOpen(
  connections: Connections,
  connection: Connection,
  { method, params, sent }: TaskExchange,
  place: Place,
): Promise<JsonObject> {
  connection.held += 1
  try {
    const result = await sent
    place.connection = `${connection.line.starts} ${connection.key}`
    place.session = connection.line.live?.session
    const { taskId, ttlMs } = taskOf(result) ?? {}
    if (typeof taskId === 'string')
      connections.keepFor(connection, taskId, typeof ttlMs === 'number' ? ttlMs : Infinity)
    if (method === 'tasks/result') connections.forgetTask(connection, String(params['taskId']))
    return result
  } finally {
    connection.held -= 1
  }
}
