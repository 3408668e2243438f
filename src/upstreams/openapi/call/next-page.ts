import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { ExactNumber } from '../../../base/json/exact-json.ts'
import type { ApiAnswer } from './api-caller.ts'
import type { CallPlan } from '../tools/api-tool.ts'
import { object } from '../spec/read-values.ts'

/** Fields that hold the cursor of the next page, and the parameters that usually take it. */
const CURSORS: readonly (readonly [field: string, parameters: readonly string[]])[] = [
  ['next_cursor', ['cursor', 'after', 'next_cursor', 'start_cursor']],
  ['nextCursor', ['cursor', 'after', 'nextCursor']],
  ['next_page_token', ['page_token', 'next_page_token', 'pageToken']],
  ['nextPageToken', ['pageToken', 'page_token', 'nextPageToken']],
  ['continue', ['continue']],
  ['next_marker', ['marker', 'next_marker']],
  ['next_token', ['next_token', 'token']],
]

/** Returns the arguments that request the next page, if the answer says that there is one. */
export function nextPage(plan: CallPlan, answer: ApiAnswer): JsonObject | undefined {
  const value = answer.body.kind === 'json' ? answer.body.value : undefined
  const link = /<([^>]+)>\s*;[^,]*rel="?next"?/.exec(answer.headers['link'] ?? '')?.[1]
  const body = object(value)
  const url = link ?? nextUrl(body)
  return (url === undefined ? undefined : fromUrl(plan, url, answer.url)) ?? fromCursor(plan, body)
}

/** Fields that hold the URL of the next page, and objects that may contain them. */
const NEXT = [
  'next',
  'next_page',
  'next_page_uri',
  'next_page_url',
  'next_url',
  'nextLink',
  '@odata.nextLink',
]
const NEXT_INSIDE = ['links', '_links', 'paging', 'pagination', 'meta']

function nextUrl(body: JsonObject): string | undefined {
  const holders = [
    body,
    ...NEXT_INSIDE.map((name) => object(body[name])),
    object(object(body['links'])['pages']),
  ]
  const candidates = holders.flatMap((holder) => NEXT.map((name) => holder[name]))
  const found = candidates.map((each) =>
    isObject(each) ? (each['href'] ?? each['url'] ?? each['uri'] ?? each['link']) : each,
  )
  return found.filter((each) => typeof each === 'string').find((each) => /[?&]/.test(each))
}

/** Returns what changes in the query from this page to the next, as arguments of the tool. */
function fromUrl(plan: CallPlan, next: string, current: URL): JsonObject | undefined {
  if (!URL.canParse(next, current.href)) return undefined
  const { searchParams } = new URL(next, current)
  const changed = [...new Set(searchParams.keys())].flatMap((name) => {
    const parameter = plan.parameters.find((each) => each.in === 'query' && each.name === name)
    const values = searchParams.getAll(name)
    if (!parameter || isSame(values, current.searchParams.getAll(name))) return []
    const [first, ...others] = values.map(toValue)
    return [[parameter.argument, others.length > 0 ? [first, ...others] : first] as const]
  })
  return changed.length > 0 ? Object.fromEntries(changed) : undefined
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at])
}

function toValue(text: string): string | number {
  return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text
}

function fromCursor(plan: CallPlan, body: JsonObject): JsonObject | undefined {
  const holders = [
    body,
    object(body['response_metadata']),
    object(body['meta']),
    object(body['metadata']),
    object(body['pagination']),
    object(body['paging']),
  ]
  for (const [field, names] of CURSORS) {
    const cursor = holders.map((each) => each[field]).find(isCursor)
    const parameter = plan.parameters.find((each) => names.includes(each.name))
    if (cursor !== undefined && parameter) return { [parameter.argument]: cursor }
  }
  return afterLastId(plan, body)
}

/** Stripe's way: `has_more`, and the id of the last item. */
function afterLastId(plan: CallPlan, body: JsonObject): JsonObject | undefined {
  const parameter = plan.parameters.find(({ name }) => name === 'starting_after')
  const data = body['data']
  if (!parameter || body['has_more'] !== true || !Array.isArray(data)) return undefined
  const id = object(data.at(-1))['id']
  return id === undefined ? undefined : { [parameter.argument]: id }
}

function isCursor(value: unknown): boolean {
  return (
    (typeof value === 'string' && value !== '') ||
    typeof value === 'number' ||
    value instanceof ExactNumber
  )
}
