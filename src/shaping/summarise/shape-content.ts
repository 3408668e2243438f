import { parseJson } from '../result-view.ts'
import type { SummaryRules } from './rules.ts'
import { type JsonBudget, shapeJson } from './shape-json.ts'
import { shapeAfter } from './shape-ruled.ts'
import { blockTokens, isMedia, placeholder, textOf, withText } from './blocks.ts'
import { sizeInTokens } from './estimate.ts'
import { countUpTo } from '../tokens.ts'

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

interface TextBudget {
  readonly maxTokens: number
  readonly handle: string
}

/** The share of characters taken from the end, where logs and errors have their main point. */
const TAIL = 0.25

/** Returns the start and the end of a text within the budget, with a note on what is missing. */
export function clipText(text: string, budget: TextBudget): { text: string; tokens: number } {
  let fitting = 0
  let failing = Math.min(text.length, budget.maxTokens * 8)
  let best = render(text, 0, budget)
  while (failing - fitting > Math.max(8, fitting / 32)) {
    const characters = (fitting + failing) >> 1
    const tried = render(text, characters, budget)
    if (tried.tokens <= budget.maxTokens) {
      fitting = characters
      best = tried
    } else {
      failing = characters
    }
  }
  return best
}

function render(text: string, characters: number, budget: TextBudget) {
  const tailLength = Math.floor(characters * TAIL)
  const head = endAtLine(text.slice(0, characters - tailLength))
  const tail = tailLength === 0 ? '' : startAtLine(text.slice(-tailLength))
  const missing = text.length - head.length - tail.length
  const note = `…[${missing} of ${text.length} characters omitted; read_result handle ${budget.handle}]…`
  const clipped = [head, note, tail].filter((part) => part !== '').join('\n')
  return { text: clipped, tokens: countUpTo(clipped, budget.maxTokens) }
}

/** Ends at a whole line if that loses little; never splits a surrogate pair. */
function endAtLine(text: string): string {
  const end = text.lastIndexOf('\n')
  return (end > text.length * 0.7 ? text.slice(0, end) : text).replace(/[\ud800-\udbff]$/, '')
}

function startAtLine(text: string): string {
  const start = text.indexOf('\n')
  const whole = start >= 0 && start < text.length * 0.3 ? text.slice(start + 1) : text
  return whole.replace(/^[\udc00-\udfff]/, '')
}
