type Variables = Record<string, string>
type Observe = (env: Variables) => Promise<unknown>

/** What one setting changes: observed without it and with it, through whatever reads it. */
export interface Effect {
  /** As it stands in its variable: lists are separated by commas, mappings are JSON. */
  readonly value: string | (() => Promise<string>)
  /** `env` has the variable of the setting in the second run only. */
  readonly observe: Observe
  readonly without: unknown
  readonly set: unknown
}

export type Effects = Readonly<Record<string, Effect>>

/** Reads: with this value, what is observed changes from the one to the other. */
export function effect(
  value: Effect['value'],
  observe: Observe,
  [without, set]: readonly [without: unknown, set: unknown],
): Effect {
  return { value, observe, without, set }
}

/** The same observation where these other settings are given too. */
export function beside(others: Variables, observe: Observe): Observe {
  return async (env) => observe({ ...others, ...env })
}
