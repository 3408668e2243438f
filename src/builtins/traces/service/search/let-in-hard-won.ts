/**
 * What was hardest to learn is worth one of `places` that the limit would have cut off. It takes the last
 * of them and no more, and only traces that are relevant anyway are looked at.
 */
export function letInHardWon<T extends { readonly isHardWon: boolean }>(
  ranked: readonly T[],
  limit: number,
  places: number,
): T[] {
  const [kept, cut] = [ranked.slice(0, limit), ranked.slice(limit)]
  const missing = Math.min(places, limit - 1) - kept.filter(({ isHardWon }) => isHardWon).length
  const letIn = cut.filter(({ isHardWon }) => isHardWon).slice(0, Math.max(0, missing))
  if (letIn.length === 0) return [...ranked]
  const leaving = kept.filter(({ isHardWon }) => !isHardWon).slice(-letIn.length)
  return [
    ...kept.filter((trace) => !leaving.includes(trace)),
    ...letIn,
    ...leaving,
    ...cut.filter((trace) => !letIn.includes(trace)),
  ]
}
