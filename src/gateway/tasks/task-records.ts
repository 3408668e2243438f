import type { JsonObject } from '../../base/json/json.ts'

/** What is stored of a task, and for how long. */
export interface TaskRecord {
  readonly id: string
  readonly owner: string
  readonly expiresAt: number
  readonly state: JsonObject
}

/** What is stored of tasks, for whoever is asked about them after the process that kept them. */
export interface TaskRecords {
  /** In place of what was stored before. Where it cannot be stored, the task is in memory only. */
  put(record: TaskRecord): Promise<void>
  /** Undefined where the owner has none, or its time is over. */
  read(id: string, owner: string): Promise<JsonObject | undefined>
}
