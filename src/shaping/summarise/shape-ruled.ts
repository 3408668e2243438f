import { fieldsLost } from './fields/fields-lost.ts'
import { type SummaryRules, applyRules, losesKept } from './rules.ts'
import { type JsonBudget, type ShapedJson, shapeJson } from './shape-json.ts'

/** What a summary may take of the original where that is needed to keep what its rules always keep. */
const LARGEST_SHARE = 0.3
const STEP = 1.25

/**
 * A summary by the rules of its tool. What they always keep outweighs what they pick, and then the
 * limit of the tool itself; never that of the agent.
 */
export function shapeRuled(
  value: unknown,
  rules: SummaryRules | undefined,
  budget: JsonBudget & { readonly mostTokens: number },
): ShapedJson {
  if (!rules) return shapeJson(value, budget)
  const shaped = shapeAfter(rules, value, budget)
  if (!rules.keep || !losesKept(shaped.missing, rules)) return shaped
  const most = Math.min(budget.mostTokens, budget.originalTokens * LARGEST_SHARE)
  for (let room = budget.maxTokens; room <= Math.max(most, budget.maxTokens); room *= STEP) {
    const wider = { ...budget, maxTokens: Math.floor(room) }
    const tried = shapeAfter({ keep: rules.keep, omit: rules.omit }, value, wider)
    if (!losesKept(tried.missing, rules)) return tried
  }
  return shaped
}

/** What the rules leave out is named like everything else that a summary leaves out. */
export function shapeAfter(rules: SummaryRules, value: unknown, budget: JsonBudget): ShapedJson {
  const ruled = applyRules(value, rules)
  return shapeJson(ruled, { ...budget, omitted: fieldsLost(value, ruled, rules) })
}
