/** A careful estimate: code has about three and a half characters per token. */
const CHARACTERS_PER_TOKEN = 3.5

export function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN)
}

/** As many results as fit, best first; the last one may lose the end of its content. Always at least one. */
export function fitTokens<Result extends { readonly content: string }>(
  results: readonly Result[],
  maxTokens: number | null | undefined,
): { readonly kept: readonly Result[]; readonly leftOut: number } {
  if (maxTokens == null) return { kept: results, leftOut: 0 }
  const kept: Result[] = []
  let used = 0
  for (const result of results) {
    const cost = estimateTokens(result)
    if (used + cost > maxTokens) {
      const shortened = shorten(result, maxTokens - used, cost)
      if (kept.length === 0 || shortened.content !== '') kept.push(shortened)
      break
    }
    kept.push(result)
    used += cost
  }
  return { kept, leftOut: results.length - kept.length }
}

function shorten<Result extends { readonly content: string }>(
  result: Result,
  left: number,
  cost: number,
): Result {
  const tooMany = (cost - left) * CHARACTERS_PER_TOKEN
  const room = Math.floor(result.content.length - tooMany - 40)
  if (room <= 0) return { ...result, content: '' }
  const cut = result.content.lastIndexOf('\n', room)
  return {
    ...result,
    content: `${result.content.slice(0, cut > 0 ? cut : room)}\n… (cut to fit max_tokens)`,
  }
}
