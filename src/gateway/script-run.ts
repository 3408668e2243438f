/** The `_meta` key of a request that wants a report of its script's calls, and of that report. */
export const RUN_META = 'portolan/run'

/** The calls of a script, for people: no model reads `_meta`. */
export interface RunReport {
  /** The id of the script's own call in audit and dashboard. */
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
  /** Milliseconds from the start of the script. */
  readonly after_ms: number
  readonly duration_ms?: number | undefined
  readonly tokens?: number | undefined
  /** The calls that a saved script made in turn. */
  readonly calls?: readonly RunCall[] | undefined
}

/** The script that makes a call, as seen by a saved script that it calls. */
export interface CallingScript {
  /** The saved scripts under way, outermost first. */
  readonly path: readonly string[]
  /** Runs a nested script; only a few run at once, and none takes another caller's slot. */
  nested<Result>(work: () => Promise<Result>): Promise<Result>
  /** Adds the trail of a nested script to its own report. */
  adopt(made: unknown): void
}
