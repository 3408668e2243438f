import { isObject } from '../../../base/json/json.ts'

/** The fields that matter, according to the call and the tool's schema. */
export interface Interest {
  /** Lower-case words of the call's arguments. */
  readonly terms: ReadonlySet<string>
  /** Field names that the tool's output schema requires, anywhere in it. */
  readonly required: ReadonlySet<string>
}

const IDENTIFIER = /^(id|uuid|guid|key|sha|slug|number|urn|arn|iid|isbn|ean|sku)$/i
/** What leads on from a result: the next page and, in those of APIs, its headers. */
export const LEADS_ON = ['_next', '_headers']
const CURSOR = /^(next|next_?cursor|next_?page|next_?page_?token|next_?token|has_?more)$/i
const IDENTIFIER_TAIL = /(?:_|-)(?:id|uuid|guid|key|sha|number|no|code)$|[a-z](?:Id|ID|Uuid|Key)$/
const NAME =
  /^(name|title|login|label|username|full_name|fullName|display_name|email|path|ref|symbol)$/
const STATE = /^(state|status|type|kind|error|errors|message|code|result|reason|severity|level)$/i
const AMOUNT = /(?:^|_)(?:total|count|amount|price|score|value|size|sum|balance|currency)$/i
const TIME = /(?:_at|_on|_date|^date|^time|timestamp|At|Date|Time)$/
const ADDRESS = /^(html_url|web_url|url|uri|href)$/

/** Whether a field holds the name of a thing. */
export function isName(key: string): boolean {
  return NAME.test(key)
}

/** Scores a field; fields with higher scores are kept longer. */
export function fieldScore(key: string, value: unknown, interest: Interest): number {
  let score = nameScore(key) + shapeScore(value)
  if (interest.required.has(key)) score += 40
  if (wordsOf(key).some((word) => interest.terms.has(word))) score += 50
  if (typeof value === 'string' && value.length < 80 && interest.terms.has(value.toLowerCase())) {
    score += 30
  }
  return score
}

function nameScore(key: string): number {
  if (IDENTIFIER.test(key)) return 200
  if (LEADS_ON.includes(key) || CURSOR.test(key)) return 150
  if (NAME.test(key)) return 120
  if (IDENTIFIER_TAIL.test(key)) return 90
  if (STATE.test(key)) return 70
  if (AMOUNT.test(key)) return 50
  if (TIME.test(key)) return 40
  return ADDRESS.test(key) ? 30 : 0
}

function shapeScore(value: unknown): number {
  if (typeof value === 'string') return value.length <= 80 ? 10 : 2
  if (Array.isArray(value) || isObject(value)) return 0
  return value === null ? -50 : 10
}

const WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g

export function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) => word.toLowerCase())
}
