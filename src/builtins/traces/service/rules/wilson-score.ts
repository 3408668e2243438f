const Z = 1.96

/** The lower end of the 95 % interval for the share of approval: few votes promise little. */
export function wilsonScore(up: number, down: number): number {
  const votes = up + down
  if (votes === 0) return 0
  const share = up / votes
  const square = Z * Z
  const centre = share + square / (2 * votes)
  const margin = Z * Math.sqrt((share * (1 - share) + square / (4 * votes)) / votes)
  return Math.max(0, (centre - margin) / (1 + square / votes))
}
