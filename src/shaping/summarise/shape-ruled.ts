import { type SummaryRules, applyRules, losesKept } from './rules.ts'
import { type JsonBudget, type ShapedJson, shapeJson } from './shape-json.ts'
import { isObject } from '../../base/json/json.ts'

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
  const small = rules.share && asShare(rules, value, { ...budget, share: rules.share })
  if (small) return small
  if (!rules.keep || !losesKept(shaped.missing, rules)) return shaped
  const most = Math.min(budget.mostTokens, budget.originalTokens * MAX_SHARE)
  for (let room = budget.maxTokens; room <= Math.max(most, budget.maxTokens); room *= STEP) {
    const wider = { ...budget, maxTokens: Math.floor(room) }
    const tried = shapeAfter({ keep: rules.keep, omit: rules.omit }, value, wider)
    if (!losesKept(tried.missing, rules)) return tried
  }
  return shaped
}

/** Returns a summary of a share of the whole, if that keeps its fields and is below the limit. */
function asShare(
  rules: SummaryRules,
  value: unknown,
  { share, ...budget }: JsonBudget & { readonly share: number },
): ShapedJson | undefined {
  const maxTokens = Math.floor(budget.originalTokens * share)
  if (maxTokens >= budget.maxTokens) return undefined
  const shaped = shapeAfter(rules, value, { ...budget, maxTokens })
  return losesKept(shaped.missing, rules) ? undefined : shaped
}

/** Summarises after the rules; fields that the rules removed are reported as left out too. */
export function shapeAfter(rules: SummaryRules, value: unknown, budget: JsonBudget): ShapedJson {
  const ruled = applyRules(value, rules)
  return shapeJson(ruled, { ...budget, omitted: fieldsLost(value, ruled, rules) })
}

/** Rows of a list are similar, so a few of them show which fields there are. */
const ROWS_LOOKED_AT = 20
const MAX_DEPTH = 8
const MAX_FIELDS = 500

/** Returns the fields of `before` that `after` lacks, reduced to the topmost missing ones. */
export function fieldsLost(
  before: unknown,
  after: unknown,
  { top = [] }: Pick<SummaryRules, 'top'>,
): string[] {
  const left = new Set<string>()
  collect(after, '', left, 0)
  const all = new Set<string>()
  collect(before, '', all, 0)
  // The best entries of these lists and maps are still there, under another name.
  const picked = new Set(top.map(({ field }) => field))
  const lost = [...all].filter((path) => !left.has(path) && !isBelow(path, picked))
  return lost.filter((path) => !lost.some((other) => other !== path && startsBelow(path, other)))
}

function collect(value: unknown, path: string, found: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH || found.size > MAX_FIELDS) return
  if (Array.isArray(value)) {
    for (const each of value.slice(0, ROWS_LOOKED_AT)) collect(each, `${path}[]`, found, depth + 1)
  } else if (isObject(value)) {
    for (const [key, each] of Object.entries(value).slice(0, MAX_FIELDS)) {
      const at = path === '' ? key : `${path}.${key}`
      if (each === null || each === '') continue
      found.add(at)
      collect(each, at, found, depth + 1)
    }
  }
}

function isBelow(path: string, names: ReadonlySet<string>): boolean {
  return path.split('.').some((part) => names.has(part.replaceAll('[]', '')))
}

function startsBelow(path: string, other: string): boolean {
  return path.startsWith(`${other}.`) || path.startsWith(`${other}[]`)
}
