import type { JsonObject } from '../../base/json/json.ts'

/** How a task ended, and for how long that is stored. */
export interface TaskRecord {
  readonly id: string
  readonly owner: string
  readonly expiresAt: number
  readonly state: JsonObject
}

/** Stores tasks, to answer for them after the process that kept them has ended. */
export interface TaskRecords {
  /** Replaces what was stored. If it cannot be stored, the task is in memory only. */
  put(record: TaskRecord): Promise<void>
  /** Returns undefined if the owner has none, or its time is over. */
  read(id: string, owner: string): Promise<JsonObject | undefined>
}
