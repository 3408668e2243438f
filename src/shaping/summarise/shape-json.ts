import { type JsonObject, isObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import { countTokens, fits } from '../tokens.ts'
import { toColumns } from './fields/columns.ts'
import { type Interest, isName } from './fields/fields.ts'
import { ALL_ROWS, BARE_ROWS, type Plan, TINY, named, sampled } from './plan.ts'
import { OutOfRoom, type Reduction, reduce } from './reduce.ts'
import { Report } from './report.ts'
import { shareRepeats } from './share.ts'

export interface JsonBudget {
  readonly maxTokens: number
  readonly interest: Interest
  readonly originalTokens: number
  /** Whether the original was too long to count exactly. */
  readonly estimated: boolean
  readonly handle: string
  /** Fields that rules have already left out: `items[].name`. */
  readonly omitted?: readonly string[]
}

export interface ShapedJson {
  readonly value: JsonObject
  readonly text: string
  readonly tokens: number
  /** Fields that are left out, and lists that lack elements: `items[].name`, `items[]`. */
  readonly missing: readonly string[]
}

/** JSON has fewer characters per token; a longer attempt is given up without counting. */
const CHARACTERS_PER_TOKEN = 8
const MAX_ROWS = 4096
const NEXT = 'read_result(handle): select (JMESPath), grep, offset, limit'

/** Returns the most informative JSON object within the budget, with a note on what is left out. */
export function shapeJson(value: unknown, given: JsonBudget): ShapedJson {
  const budget = { ...given, embedded: new Map<string, unknown>() }
  const attempt = (plan: Plan, detail = 12) => tryPlan(value, plan, detail, budget)
  const list = longestList(value)
  const found =
    asShortList(value, list.length, budget) ??
    withAllRows(attempt) ??
    withNamedRows(attempt, list) ??
    attempt(BARE_ROWS) ??
    withSampledRows(attempt) ??
    tiny(attempt)
  const { envelope, missing } = found ?? nothing(budget)
  return { ...seal(envelope, budget), missing }
}

/** From this length a list is a table to look things up in, which need not fill the budget. */
const LONG_LIST = 50
const SHARE_OF_LIST = 0.29

/** Shortens a long list to less than a third of its tokens, if every row keeps its names. */
function asShortList(
  value: unknown,
  rows: number,
  { maxTokens, ...budget }: SummaryAttempt,
): SummaryResult | undefined {
  const target = Math.floor(budget.originalTokens * SHARE_OF_LIST)
  if (rows < LONG_LIST || target >= maxTokens) return undefined
  return withAllRows((plan, detail = 12) =>
    tryPlan(value, plan, detail, { ...budget, maxTokens: target }),
  )
}

/** Returns the longest list that is the value itself or one of its fields. */
function longestList(value: unknown): readonly unknown[] {
  const lists = Array.isArray(value) ? [value] : isObject(value) ? Object.values(value) : []
  return lists.reduce<readonly unknown[]>(
    (longest, each) => (Array.isArray(each) && each.length > longest.length ? each : longest),
    [],
  )
}

/** Shows at least half of the rows with their names, rather than bare identifiers of all. */
function withNamedRows(attempt: Attempt, list: readonly unknown[]): SummaryResult | undefined {
  const rows = list.length
  const [row] = list
  const hasNames = isObject(row) && Object.keys(row).some(isName)
  let fitting = Math.ceil(rows / 2)
  let best = rows >= LONG_LIST && hasNames ? attempt(named(fitting)) : undefined
  let failing = rows
  while (best && failing - fitting > 1) {
    const middle = (fitting + failing) >> 1
    const tried = attempt(named(middle))
    if (tried) {
      best = tried
      fitting = middle
    } else {
      failing = middle
    }
  }
  return best
}

type SummaryAttempt = JsonBudget & Required<Pick<Reduction, 'embedded'>>

interface SummaryResult {
  readonly envelope: JsonObject
  readonly clipped: boolean
  readonly missing: readonly string[]
}

type Attempt = (plan: Plan, detail?: number) => SummaryResult | undefined

function nothing({ handle }: JsonBudget): Pick<SummaryResult, 'envelope' | 'missing'> {
  return { envelope: { _summarized: true, _handle: handle }, missing: ['$'] }
}

function withAllRows(attempt: Attempt): SummaryResult | undefined {
  let tightest = ALL_ROWS.length - 1
  let best = attempt(ALL_ROWS[tightest] ?? sampled(1))
  if (!best) return undefined
  let loosest = 0
  while (loosest < tightest) {
    const middle = (loosest + tightest) >> 1
    const tried = attempt(ALL_ROWS[middle] ?? sampled(1))
    if (tried) {
      best = tried
      tightest = middle
    } else {
      loosest = middle + 1
    }
  }
  const plan = ALL_ROWS[tightest] ?? sampled(1)
  const wider = stretch(attempt, { found: best, plan }, ALL_ROWS[tightest - 1] ?? plan)
  return stretchStrings(attempt, wider.plan, wider.found)
}

interface Planned {
  readonly found: SummaryResult
  readonly plan: Plan
}

/** Spends the rest of the budget on what the next looser plan, which did not fit, shows more of. */
function stretch(attempt: Attempt, tight: Planned, loose: Plan): Planned {
  let best = tight
  for (const part of ['fields', 'inner'] as const) {
    let fitting = best.plan[part]
    let failing = Math.min(loose[part], fitting * 4)
    while (failing - fitting > 1) {
      const plan = { ...best.plan, [part]: (fitting + failing) >> 1 }
      const found = attempt(plan)
      if (found) {
        best = { found, plan }
        fitting = plan[part]
      } else {
        failing = plan[part]
      }
    }
  }
  return best
}

/** Spends the rest of the budget on longer strings, if any were cut. */
function stretchStrings(attempt: Attempt, plan: Plan, found: SummaryResult): SummaryResult {
  let best = found
  for (let strings = plan.strings * 2; best.clipped; strings *= 2) {
    const tried = attempt({ ...plan, strings })
    if (!tried) break
    best = tried
  }
  return best
}

function withSampledRows(attempt: Attempt): SummaryResult | undefined {
  let best = attempt(sampled(1))
  let fitting = 1
  let failing = MAX_ROWS
  while (best && failing - fitting > 1) {
    const rows = fitting * 8 < failing ? fitting * 2 : (fitting + failing) >> 1
    const tried = attempt(sampled(rows))
    if (tried) {
      best = tried
      fitting = rows
    } else {
      failing = rows
    }
  }
  return best
}

function tiny(attempt: Attempt): SummaryResult | undefined {
  for (const [index, plan] of TINY.entries()) {
    const found = attempt(plan, 2 - index)
    if (found) return found
  }
  return undefined
}

function tryPlan(value: unknown, plan: Plan, detail: number, budget: SummaryAttempt) {
  const report = new Report()
  for (const path of budget.omitted ?? []) report.field(path)
  const room = budget.maxTokens * CHARACTERS_PER_TOKEN
  try {
    const { interest, embedded } = budget
    const reduced = reduce(value, { plan, report, interest, room, embedded })
    const statement = {
      ...report.toObject(detail),
      ...counts(budget, budget.maxTokens),
      // The longest form of this number, so that the true one never takes more tokens.
      _reduction_percent: 99.9,
      _handle: budget.handle,
      ...(detail > 2 && { _next: NEXT }),
    }
    const envelope = first(notations(reduced, statement), budget)
    return envelope && { envelope, clipped: report.clipped, missing: report.missing }
  } catch (error) {
    if (error instanceof OutOfRoom) return undefined
    throw error
  }
}

/** Writes the same data in ways that take fewer and fewer tokens but are harder to read. */
function* notations(data: unknown, statement: JsonObject): Generator<JsonObject> {
  yield wrap(data, statement)
  const columns = toColumns(data)
  yield wrap(columns, statement)
  const { value, shared } = shareRepeats(columns)
  if (shared.length > 0) yield wrap(value, { ...statement, _shared: shared })
}

function first(tried: Iterable<JsonObject>, { maxTokens }: JsonBudget) {
  for (const envelope of tried) {
    if (fits(stringifyExact(envelope), maxTokens)) return envelope
  }
  return undefined
}

function counts(budget: JsonBudget, summaryTokens: number): JsonObject {
  const { originalTokens, estimated } = budget
  const reduction = 100 * (1 - summaryTokens / Math.max(1, originalTokens))
  return {
    _summarized: true,
    _original_token_count: originalTokens,
    ...(estimated && { _original_token_count_estimated: true }),
    _summary_token_count: summaryTokens,
    _reduction_percent: Math.max(0, Math.round(reduction * 10) / 10),
  }
}

/** Adds the note to the data if that is an object, and puts it beside the data otherwise. */
function wrap(data: unknown, statement: JsonObject): JsonObject {
  const joins = isObject(data) && !('_rows' in data) && !('_ref' in data)
  if (joins && Object.keys(statement).every((key) => !(key in data)))
    return { ...data, ...statement }
  return { data, ...statement }
}

/** Writes the token count into the text, which may change it: repeats until it holds. */
function seal(envelope: JsonObject, budget: JsonBudget): Omit<ShapedJson, 'missing'> {
  let value = envelope
  let text = stringifyExact(value)
  let tokens = countTokens(text)
  const rounds = '_summary_token_count' in envelope ? 4 : 0
  for (let round = 0; round < rounds; round++) {
    value = { ...envelope, ...counts(budget, tokens) }
    text = stringifyExact(value)
    const counted = countTokens(text)
    if (counted === tokens) break
    tokens = counted
  }
  return { value, text, tokens }
}
