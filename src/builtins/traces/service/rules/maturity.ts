export interface Maturity {
  readonly tier: 'SEED' | 'GROWING' | 'MATURE'
  /** How many independent confirmations make a trace validated. */
  readonly threshold: number
  /** What trust is multiplied by in every consolidation cycle. */
  readonly trustDecay: number
}

/**
 * The larger the commons, the more it asks. The contract validated on a single vote while there were
 * fewer than 1,000 traces, so that one second account was enough: `least` (VALIDATION_THRESHOLD) forbids it.
 */
export function maturityOf(traces: number, least: number): Maturity {
  if (traces < 1_000) return { tier: 'SEED', threshold: Math.max(1, least), trustDecay: 1 }
  if (traces < 100_000) return { tier: 'GROWING', threshold: Math.max(2, least), trustDecay: 0.995 }
  return { tier: 'MATURE', threshold: Math.max(3, least), trustDecay: 0.99 }
}
