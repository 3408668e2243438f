import { parseJson } from '../result-view.ts'
import type { SummaryRules } from './rules.ts'
import { type JsonBudget, shapeJson } from './shape-json.ts'
import { shapeAfter } from './shape-ruled.ts'
import { blockTokens, isMedia, placeholder, textOf, withText } from './blocks.ts'
import { clipText } from './clip-text.ts'
import { sizeInTokens } from './estimate.ts'

export type ContentBudget = Omit<JsonBudget, 'originalTokens' | 'estimated'> & {
  readonly rules: SummaryRules | undefined
}

/** The fewest tokens for which a shaped block is worth sending. */
const MIN_SHARE = 40

/**
 * Divides the budget among the blocks. Blocks below a fair share pass unchanged and leave the rest
 * of their share to the others, which are shaped one by one. A note counts the blocks without room.
 */
export function shapeContent(blocks: readonly unknown[], budget: ContentBudget): unknown[] {
  const { maxTokens } = budget
  const costs = blocks.map((block) => blockTokens(block, maxTokens))
  const cheapestFirst = [...blocks.keys()].toSorted((a, b) => (costs[a] ?? 0) - (costs[b] ?? 0))
  const crowded = blocks.length * MIN_SHARE > maxTokens
  let remaining = crowded ? maxTokens - MIN_SHARE : maxTokens
  let waiting = blocks.length
  const shaped: unknown[] = []
  for (const index of cheapestFirst) {
    const cost = costs[index] ?? 0
    const fair = crowded ? remaining : Math.floor(remaining / waiting)
    waiting--
    if (cost <= fair) {
      shaped[index] = blocks[index]
      remaining -= cost
    } else if (fair >= MIN_SHARE) {
      const block = shapeBlock(blocks[index], index, { ...budget, maxTokens: fair })
      const tokens = blockTokens(block, fair)
      if (tokens <= fair) shaped[index] = block
      // Otherwise its share pays for the note that it is missing.
      remaining -= Math.min(tokens, fair)
    }
  }
  const kept = shaped.filter((block) => block !== undefined)
  const missing = blocks.length - kept.length
  return missing === 0 ? kept : [...kept, leftOut(missing, blocks.length, budget.handle)]
}

function leftOut(missing: number, total: number, handle: string) {
  const text = `[${missing} of ${total} blocks left out; read_result handle ${handle}]`
  return { type: 'text', text }
}

function shapeBlock(block: unknown, index: number, budget: ContentBudget): unknown {
  const text = isMedia(block) ? undefined : textOf(block)
  if (text === undefined) return placeholder(block, index, budget.handle)
  const data = parseJson(text)
  if (data === undefined) return withText(block, clipText(text, budget).text)
  const { tokens, estimated } = sizeInTokens(text)
  const whole = { ...budget, originalTokens: tokens, estimated }
  const shaped = budget.rules ? shapeAfter(budget.rules, data, whole) : shapeJson(data, whole)
  return withText(block, shaped.text)
}
