import type { CallResult } from '../gateway/call.ts'
import {
  type Allowance,
  type ResultSource,
  MIN_ALLOWANCE,
  type ShapedResult,
  type Shaper,
} from '../gateway/layers/budgets.ts'
import { isObject } from '../base/json/json.ts'
import { stringifyExact } from '../base/json/exact-json.ts'
import { type ResultView, viewOf, parseJson } from './result-view.ts'
import { MEDIA_TOKENS, textOf, withText } from './summarise/blocks.ts'
import { sizeInTokens } from './summarise/estimate.ts'
import { interestOf } from './summarise/interest.ts'
import type { SummaryRules } from './summarise/rules.ts'
import { type ContentBudget, shapeContent } from './summarise/shape-content.ts'
import { shapeRuled } from './summarise/shape-ruled.ts'
import { countTokens, countUpTo, fits } from './tokens.ts'

export interface ShaperOptions {
  /** Stores the whole result for its owner and returns its handle. */
  keep(result: CallResult, owner: string, from: ResultSource | undefined): Promise<string>
  /** The configured rules of a tool, applied before anything else is cut. */
  rules?(server: string, tool: string): SummaryRules | undefined
}

/** The `_meta` key that marks a shaped result. */
const SUMMARY_META = 'portolan/summary'

export function createShaper(options: ShaperOptions): Shaper {
  return {
    async shape(result, allowance) {
      const { maxTokens, always = false } = allowance
      const view = viewOf(result)
      const tokens = measure(view, maxTokens)
      if (tokens <= maxTokens && !always) return { result, tokenCount: tokens, tokensSaved: 0 }

      const original = originalSize(view)
      const compacted = always ? undefined : compact(result, view, maxTokens)
      if (compacted) return account(compacted, original.tokens)

      const { owner, from } = allowance
      const handle = await options.keep(result, owner, from)
      const rules = from?.tool === undefined ? undefined : options.rules?.(from.server, from.tool)
      const budget = {
        maxTokens,
        mostTokens: allowance.mostTokens ?? maxTokens,
        handle,
        rules,
        interest: interestIn(allowance),
      }
      const shaped = cut(result, view, budget, original)
      const meta = isObject(result['_meta']) ? result['_meta'] : {}
      const described = { ...shaped, _meta: { ...meta, [SUMMARY_META]: { handle, ...original } } }
      return account(described, original.tokens)
    },
  }
}

function interestIn(allowance: Allowance) {
  return interestOf(allowance.arguments, allowance.outputSchema)
}

/** Counts tokens: exact near the limit, estimated from the length where the result surely fits. */
function measure(view: ResultView, limit: number): number {
  if (!view.texts) return Infinity
  let tokens = view.media * MEDIA_TOKENS
  const bytes = view.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (tokens + bytes <= limit) return tokens + Math.ceil(bytes / 4)
  for (const text of view.texts) {
    if (tokens > limit || !fits(text, limit - tokens)) return Infinity
    tokens += countUpTo(text, limit - tokens)
  }
  return tokens
}

function exactTokens(view: ResultView): number {
  const texts = (view.texts ?? []).map((text) => countTokens(text))
  return texts.reduce((sum, tokens) => sum + tokens, view.media * MEDIA_TOKENS)
}

function originalSize(view: ResultView) {
  const sizes = (view.texts ?? []).map((text) => sizeInTokens(text))
  return {
    tokens: sizes.reduce((sum, size) => sum + size.tokens, view.media * MEDIA_TOKENS),
    estimated: view.texts === undefined || sizes.some((size) => size.estimated),
  }
}

function account(result: CallResult, originalTokens: number): ShapedResult {
  const tokenCount = exactTokens(viewOf(result))
  return { result, tokenCount, tokensSaved: Math.max(0, originalTokens - tokenCount) }
}

/** Removes white space from the JSON, if that alone is enough; nothing is left out. */
function compact(result: CallResult, view: ResultView, limit: number): CallResult | undefined {
  const [block, ...others] = view.blocks
  const text =
    others.length === 0 && (view.mirrored || !view.structured) ? textOf(block) : undefined
  // Indentation rarely takes more than half of a text.
  if (text === undefined || text.length > limit * 16) return undefined
  const data = parseJson(text)
  if (data === undefined || !view.texts) return undefined
  const tight = stringifyExact(data)
  return fits(tight, limit) ? { ...result, content: [withText(block, tight)] } : undefined
}

function cut(
  result: CallResult,
  view: ResultView,
  budget: ContentBudget & { readonly mostTokens: number },
  original: { tokens: number; estimated: boolean },
): CallResult {
  if (!view.structured) return { ...result, content: shapeContent(view.blocks, budget) }
  const beside = quarter(budget)
  const omitted = view.mirrored || beside.maxTokens < MIN_ALLOWANCE
  const content = omitted ? [] : shapeContent(view.blocks, beside)
  const spent = exactTokens(viewOf({ content }))
  const shaped = shapeRuled(view.structured, budget.rules, {
    ...budget,
    maxTokens: budget.maxTokens - spent,
    mostTokens: budget.mostTokens - spent,
    originalTokens: original.tokens,
    estimated: original.estimated,
  })
  return {
    ...result,
    content: view.mirrored ? [{ type: 'text', text: shaped.text }] : content,
    structuredContent: shaped.value,
  }
}

/** The budget of text next to structured content, which matters more. */
function quarter(budget: ContentBudget): ContentBudget {
  return { ...budget, maxTokens: Math.floor(budget.maxTokens / 4) }
}
