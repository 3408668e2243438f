/**
 * Whether a mutation run executes this test (`npm run mutants`). Measurements of time or memory are
 * meaningless with instrumented code.
 */
export const MUTATING = process.env['MUTANTS_LOG'] !== undefined

/** Runs of a property test: few in a mutation run, which executes it once per mutant. */
export function runs(usual: number): number {
  return MUTATING ? Math.min(usual, 15) : usual
}
