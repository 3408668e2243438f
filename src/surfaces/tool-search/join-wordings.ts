import type { ToolHit } from './tool-index.ts'

/** A request, and what was found for all of its wordings. */
export interface Found {
  readonly request: string
  readonly hits: readonly ToolHit[]
}

/**
 * Joins what was found for other wordings, which come last, to the request that they are wordings
 * of: to the only one, or to that of the whole query if it has several steps.
 */
export function joinWordings(
  requests: readonly string[],
  lists: readonly (readonly ToolHit[])[],
  wordings: number,
): readonly Found[] {
  const steps = requests.length - wordings
  const found = requests.slice(0, steps).map((request, at) => ({ request, hits: lists[at] ?? [] }))
  if (wordings === 0) return found
  const others = lists.slice(steps)
  const [first] = found
  if (found.length === 1 && first)
    return [{ request: first.request, hits: bestOf([first.hits, ...others]) }]
  return [...found, { request: requests[steps] ?? '', hits: bestOf(others) }]
}

/** Returns as many as the longest list has: the best by score, with the first of each list. */
function bestOf(lists: readonly (readonly ToolHit[])[]): readonly ToolHit[] {
  const limit = Math.max(0, ...lists.map(({ length }) => length))
  const best = new Map<unknown, ToolHit>()
  const firsts = new Set(lists.map(([first]) => first?.tool))
  for (const hit of lists.flat().toSorted((a, b) => rank(b) - rank(a)))
    if (!best.has(hit.tool)) best.set(hit.tool, hit)
  const sorted = [...best.values()]
  const kept = sorted.filter(({ tool }) => firsts.has(tool))
  const others = sorted.filter(({ tool }) => !firsts.has(tool))
  const chosen = new Set([...kept, ...others.slice(0, Math.max(0, limit - kept.length))])
  return sorted.filter((hit) => chosen.has(hit))
}

/** What fits one wording comes before what merely is near to another. */
function rank({ fits, score }: ToolHit): number {
  return score + (fits ? FITS : 0)
}

/** More than any score. */
const FITS = 100
