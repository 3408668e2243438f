import type { JsonObject } from '../../base/json/json.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import type { Place } from '../upstream.ts'

/** Sends a request about a task to what runs it. */
export type Ask = (method: string, params?: JsonObject) => Promise<JsonObject>

/** The server that runs a task, or what is stored of it. */
export interface TaskServer {
  readonly ask: Ask
  /** Answers a question that the server asked an earlier process. */
  readonly answer?: (id: RequestId, answer: JsonObject, place: Place) => Promise<void>
}
