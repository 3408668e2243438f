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
  /** Of a saved script: the calls that it made in turn. */
  readonly calls?: readonly RunCall[] | undefined
}

/** The script that makes a call, as a saved script that it calls knows it. */
export interface CallingScript {
  /** The saved scripts under way, outermost first. */
  readonly path: readonly string[]
  /** Runs a script below it; only a few run at the same time, and none takes the place of another caller. */
  nested<Result>(work: () => Promise<Result>): Promise<Result>
  /** Takes what a script below it did into its own report. */
  adopt(made: unknown): void
}
