import type { JsonObject } from '../../../base/json/json.ts'

/** One request, and who asks. */
export interface Question {
  readonly method: string
  readonly params: JsonObject
  readonly agent: string | undefined
  /** Of PORTOLAN_KEY. */
  readonly key: string | undefined
}
