import type { CodeResult } from '../../engine/search/search-code.ts'

/** A careful estimate: code has about three and a half characters per token. */
const CHARACTERS_PER_TOKEN = 3.5
/** Other scripts have about one character per token. */
const OTHER_SCRIPT = /[^\0-\u024f]/g
const MAX_LINE_LENGTH = 120
/** Fewer tokens of text than this are not worth showing. */
const MIN_TEXT = 40
const CUT = '\n… (cut to fit max_tokens)'

/** A result in one line: where it is and how it begins. */
interface ResultStub {
  readonly file_path: string
  readonly start_line: number
  readonly end_line: number
  readonly score: number
  /** The first line of its text. */
  readonly content: string
  readonly symbol_name?: string
  readonly symbol_lines?: readonly [first: number, last: number]
  readonly index_name?: string
  readonly is_stub: true
}

export interface FittedResults {
  readonly kept: readonly (CodeResult | ResultStub)[]
  /** How many of them are stubs; `leftOut` counts the results that did not even fit as a stub. */
  readonly stubs: number
  readonly leftOut: number
}

export function estimateTokens(value: unknown): number {
  const text = JSON.stringify(value)
  const others = text.match(OTHER_SCRIPT)?.length ?? 0
  return Math.ceil(others + (text.length - others) / CHARACTERS_PER_TOKEN)
}

/**
 * Fits results into a number of tokens, best first. A result loses its surroundings before its
 * text, later results before earlier ones. A text shrinks to one line before its result is left
 * out, and at least one result is kept.
 */
export function fitTokens(
  results: readonly CodeResult[],
  maxTokens: number | null | undefined,
): FittedResults {
  if (maxTokens == null || estimateTokens(results) <= maxTokens)
    return { kept: results, stubs: 0, leftOut: 0 }
  const stubs = withinBudget(results.map(toStub), maxTokens)
  const kept: (CodeResult | ResultStub)[] = [...stubs]
  let left = maxTokens - estimateTokens(stubs)
  let whole = 0
  for (const [place, stub] of stubs.entries()) {
    const room = left + estimateTokens(stub)
    const shown = results[place] && withText(results[place], room)
    if (!shown) break
    kept[place] = shown
    left = room - estimateTokens(shown)
    whole = place + 1
  }
  return { kept, stubs: kept.length - whole, leftOut: results.length - kept.length }
}

/** Returns as much of a result as fits; undefined if that is less than a few lines. */
function withText(result: CodeResult, room: number): CodeResult | undefined {
  if (estimateTokens(result) <= room) return result
  return shortened(withoutSurroundings(result), room)
}

function withoutSurroundings(result: CodeResult): CodeResult {
  const {
    context_before: _,
    context_after: __,
    dependencies: ___,
    dependents: ____,
    ...bare
  } = result
  return bare
}

function toStub(result: CodeResult): ResultStub {
  const { file_path, start_line, end_line, score } = result
  const { symbol_name, symbol_signature, symbol_lines } = result
  const line = symbol_signature ?? result.content.split('\n').find((text) => /\w/.test(text)) ?? ''
  return {
    file_path,
    start_line,
    end_line,
    score,
    content: line.trim().slice(0, MAX_LINE_LENGTH),
    ...(symbol_name !== null && { symbol_name }),
    ...(symbol_lines && { symbol_lines }),
    ...(result.index_name !== undefined && { index_name: result.index_name }),
    is_stub: true,
  }
}

/** Returns as many stubs as fit, and at least one. */
function withinBudget(stubs: readonly ResultStub[], maxTokens: number): ResultStub[] {
  const kept: ResultStub[] = []
  let used = 0
  for (const stub of stubs) {
    used += estimateTokens(stub)
    if (kept.length > 0 && used > maxTokens) break
    kept.push(stub)
  }
  return kept
}

function shortened(result: CodeResult, room: number): CodeResult | undefined {
  const cost = estimateTokens(result)
  if (cost <= room) return result
  const textCost = estimateTokens(result.content)
  const textRoom = textCost - (cost - room) - estimateTokens(CUT)
  if (textRoom < MIN_TEXT) return undefined
  const characters = Math.floor((result.content.length * textRoom) / textCost)
  const end = result.content.lastIndexOf('\n', characters)
  return { ...result, content: result.content.slice(0, end > 0 ? end : characters) + CUT }
}
