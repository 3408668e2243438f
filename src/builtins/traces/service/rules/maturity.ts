export interface Maturity {
  readonly tier: 'SEED' | 'GROWING' | 'MATURE'
  /** The number of independent confirmations that validate a trace. */
  readonly threshold: number
  /** The factor for trust in every consolidation cycle. */
  readonly trustDecay: number
}

/**
 * Sets stricter rules the more traces there are. `least` (VALIDATION_THRESHOLD) can raise the
 * threshold: below 1,000 traces the contract needs one vote, which a second account could give.
 */
export function maturityOf(traces: number, least: number): Maturity {
  if (traces < 1_000) return { tier: 'SEED', threshold: Math.max(1, least), trustDecay: 1 }
  if (traces < 100_000) return { tier: 'GROWING', threshold: Math.max(2, least), trustDecay: 0.995 }
  return { tier: 'MATURE', threshold: Math.max(3, least), trustDecay: 0.99 }
}
