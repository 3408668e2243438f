import { fieldsLost } from './fields/fields-lost.ts'
import { type SummaryRules, applyRules, losesKept } from './rules.ts'
import { type JsonBudget, type ShapedJson, shapeJson } from './shape-json.ts'

/** The largest share of the original that a summary may take to keep its mandatory fields. */
const MAX_SHARE = 0.3
const STEP = 1.25

/**
 * Summarises by the rules of a tool. Fields to keep take precedence over lists picked by `top`, and
 * then over the limit of the tool, but never over that of the agent.
 */
export function shapeRuled(
  value: unknown,
  rules: SummaryRules | undefined,
  budget: JsonBudget & { readonly mostTokens: number },
): ShapedJson {
  if (!rules) return shapeJson(value, budget)
  const shaped = shapeAfter(rules, value, budget)
  if (!rules.keep || !losesKept(shaped.missing, rules)) return shaped
  const most = Math.min(budget.mostTokens, budget.originalTokens * MAX_SHARE)
  for (let room = budget.maxTokens; room <= Math.max(most, budget.maxTokens); room *= STEP) {
    const wider = { ...budget, maxTokens: Math.floor(room) }
    const tried = shapeAfter({ keep: rules.keep, omit: rules.omit }, value, wider)
    if (!losesKept(tried.missing, rules)) return tried
  }
  return shaped
}

/** Summarises after the rules; fields that the rules removed are reported as left out too. */
export function shapeAfter(rules: SummaryRules, value: unknown, budget: JsonBudget): ShapedJson {
  const ruled = applyRules(value, rules)
  return shapeJson(ruled, { ...budget, omitted: fieldsLost(value, ruled, rules) })
}
