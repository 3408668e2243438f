/** `_meta` of a request that wants the calls of its script beside the result, and of that result. */
export const RUN_META = 'portolan/run'

/** The calls of a script, for people: no model reads `_meta`. */
export interface RunReport {
  /** The id of the script's own call, under which audit and dashboard know it. */
  readonly id: string
  readonly duration_ms: number
  /** About what the results of its calls would have cost an agent that made them one by one. */
  readonly tokens: number
  readonly calls: readonly RunCall[]
}

export interface RunCall {
  readonly id: string
  readonly tool: string
  /** `asks`: its server has asked its client something, and was not answered yet. */
  readonly outcome: 'running' | 'ok' | 'failed' | 'planned' | 'asks'
  /** From the start of the script. */
  readonly after_ms: number
  readonly duration_ms?: number | undefined
  readonly tokens?: number | undefined
}
