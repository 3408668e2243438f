import type { IncomingMessage } from 'node:http'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import type { Step } from './cache-suites.ts'

export interface CaseResult {
  readonly id: string
  /** `optional`: it is about reuse that no cache need do, and this one does not. */
  readonly verdict: 'passed' | 'optional' | 'failed' | 'reused wrongly' | 'not applicable'
  readonly why: string
}

interface Exchange {
  readonly answer: JsonObject
  /** What the origin was asked, if it was. */
  readonly asked: IncomingMessage | undefined
  /** The headers of the first answer. */
  readonly first: Readonly<Record<string, readonly string[]>> | undefined
}

interface Problem {
  readonly check: string
  readonly verdict: CaseResult['verdict']
  readonly why: string
}

/** Returns the first thing that is not as the case expects. */
export function problemOf(here: Step, exchange: Exchange): Problem | undefined {
  return (
    problemOfType(here.expected_type, exchange) ??
    firstOf(here.expected_request_headers, (wanted) => problemOfRequest(wanted, exchange)) ??
    firstOf(here.expected_response_headers, (wanted) => problemOfResponse(wanted, exchange))
  )
}

function firstOf<Item>(items: readonly Item[], check: (item: Item) => Problem | undefined) {
  for (const item of items) {
    const problem = check(item)
    if (problem) return problem
  }
  return undefined
}

function problemOfType(type: Step['expected_type'], { asked }: Exchange): Problem | undefined {
  const check = 'expected_type'
  if (type === undefined) return undefined
  if (type === 'cached')
    return asked && { check, verdict: 'failed', why: 'it was sent to the origin' }
  if (!asked) return { check, verdict: 'reused wrongly', why: 'it was not sent' }
  if (type === 'not_cached') return undefined
  const condition = type === 'etag_validated' ? 'if-none-match' : 'if-modified-since'
  return asked.headers[condition] === undefined
    ? { check, verdict: 'failed', why: `it was sent without ${condition}` }
    : undefined
}

function problemOfRequest(wanted: unknown, { asked }: Exchange): Problem | undefined {
  const [name = '', value] = [wanted].flat().map(String)
  const got = asked?.headers[name.toLowerCase()]
  const isRight = value === undefined ? got !== undefined : got === value
  if (isRight) return undefined
  const why = `${name} was sent as ${String(got)}`
  return { check: 'expected_request_headers', verdict: 'failed', why }
}

function problemOfResponse(wanted: unknown, { answer, first = {} }: Exchange): Problem | undefined {
  const [name = '', wish, least] = [wanted].flat()
  const header = String(name)
  const got = headerOf(answer, header)
  const check = 'expected_response_headers'
  if (got === undefined)
    return { check, verdict: 'not applicable', why: `a result does not have ${header}` }
  // A number is a date that the origin calculated.
  const right = typeof wish === 'number' ? first[header.toLowerCase()]?.[0] : wish
  const isRight = wish === '>' ? Number(got) > Number(least) : got === (right ?? got)
  return isRight ? undefined : { check, verdict: 'failed', why: `${header} is ${got}` }
}

/** A header in a result; how old it is has a place of its own. */
function headerOf(answer: JsonObject, name: string): string | undefined {
  const result = object(answer['result'])
  if (name === 'Age') {
    const age = object(object(result['_meta'])['portolan/cache'])['age_seconds']
    return typeof age === 'number' ? String(age) : undefined
  }
  const value = object(object(result['structuredContent'])['headers'])[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
