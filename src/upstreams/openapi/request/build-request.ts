import type { JsonObject } from '../../../base/json/json.ts'
import type { CallPlan, PlannedParameter } from '../tools/api-tool.ts'
import { BadArguments } from './bad-arguments.ts'
import { encodeBody } from './encode-body.ts'
import { toHeader, toPathSegment, toQuery } from './serialize-parameter.ts'

export interface BuiltRequest {
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | undefined
}

/** Builds the HTTP request for a call of a tool: every argument where the description wants it. */
export function buildRequest(plan: CallPlan, base: URL, args: JsonObject): BuiltRequest {
  const problems = findProblems(plan, args)
  if (problems.length > 0) throw new BadArguments(problems)
  const headers: Record<string, string> = {}
  const query: string[] = []
  const cookies: string[] = []
  // Some descriptions tell operations of one path apart by a fragment, which is never sent.
  let [path = ''] = plan.path.split('#')
  for (const parameter of plan.parameters) {
    const value = valueOf(parameter, args)
    if (value === undefined) continue
    if (parameter.in === 'path') {
      path = path.replaceAll(`{${parameter.name}}`, () => toPathSegment(parameter, value))
    } else if (parameter.in === 'header') {
      headers[parameter.name] = toHeader(parameter, value)
    } else {
      const encoded = toQuery(parameter, value)
      if (encoded) (parameter.in === 'query' ? query : cookies).push(encoded)
    }
  }
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ').replaceAll('&', '; ')
  if (path.split('/').some(isDots)) throw new BadArguments([DOTS])
  const url = new URL(base)
  // Some descriptions write a query into the path; values in it are encoded like any other.
  const [pathname = '', ...written] = path.split('?')
  url.pathname = base.pathname.replace(/\/$/, '') + pathname.replace(/^(?!\/)/, '/')
  url.search = [url.search.slice(1), written.join('?'), ...query].filter(Boolean).join('&')
  return { url, headers, body: addBody(plan, args, headers) }
}

function addBody(plan: CallPlan, args: JsonObject, headers: Record<string, string>) {
  if (!plan.body) return undefined
  const value = argumentOf(args, plan.body.argument) ?? plan.body.default
  if (value === undefined) return undefined
  const { contentType, bytes } = encodeBody(plan.body, value)
  headers['content-type'] = contentType
  return bytes
}

/** Returns an argument that was given: every object inherits a `constructor`. */
function argumentOf(args: JsonObject, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined
}

function valueOf(parameter: PlannedParameter, args: JsonObject): unknown {
  const value = argumentOf(args, parameter.argument) ?? parameter.default
  return value === null ? undefined : value
}

function findProblems(plan: CallPlan, args: JsonObject): { argument: string; expected: string }[] {
  const problems: { argument: string; expected: string }[] = []
  for (const parameter of plan.parameters) {
    const value = valueOf(parameter, args)
    const { argument } = parameter
    if (value === undefined) {
      if (parameter.required) problems.push({ argument, expected: 'a value: it is required' })
    } else if (parameter.in === 'path' && toPathSegment(parameter, value) === '') {
      problems.push({ argument, expected: 'a value: it must not be empty' })
    } else if (parameter.in === 'header' && UNSENDABLE.test(toHeader(parameter, value))) {
      problems.push({ argument, expected: 'one line of text in the characters of ISO-8859-1' })
    }
  }
  if (plan.body?.required && argumentOf(args, plan.body.argument) === undefined) {
    problems.push({ argument: plan.body.argument, expected: 'a value: it is required' })
  }
  return problems
}

/** Anything but a tab, printable ASCII and the upper half of ISO-8859-1: no header may hold it. */
const UNSENDABLE = /[^\t\x20-\x7E\x80-\xFF]/

/** Whether a segment is dots, which would let an argument reach another operation of the host. */
function isDots(segment: string): boolean {
  return segment === '.' || segment === '..'
}

const DOTS = { argument: 'path', expected: 'no part may be "." or ".."' }
