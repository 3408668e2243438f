import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { Description, Step } from './cache-suites.ts'
import { type CaseResult, problemOf } from './cache-verdict.ts'

interface Ways {
  readonly call: (server: string, tool: string, args: JsonObject) => Promise<JsonObject>
  readonly pause: () => Promise<unknown>
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE'])
const DATES = new Set(['date', 'expires', 'last-modified'])

/** A case, its origin and its verdict. */
export class Case {
  readonly about: Description
  readonly id: string
  readonly #steps: readonly Step[]
  readonly #seen: IncomingMessage[] = []
  /** The headers of the first answer. */
  #first: Readonly<Record<string, readonly string[]>> | undefined
  #at = 0

  constructor(about: Description) {
    this.about = about
    this.id = about.id
    this.#steps = about.requests
  }

  /** An API of its own: no case sees what another one wrote, or its failures. */
  entry(url: string): JsonObject {
    return {
      openapi: `./${this.id}.json`,
      baseUrl: `${url}/${this.id}`,
      allowPrivate: true,
      retries: 0,
    }
  }

  description(): string {
    const names = (place: 'request_headers' | 'response_headers') => [
      ...new Set(this.#steps.flatMap((each) => each[place].map(([name]) => name))),
    ]
    const schema = { type: 'string' }
    const parameters = [
      ...names('request_headers').map((name) => ({ name, in: 'header', schema })),
      ...this.#steps.flatMap(({ query_arg }) =>
        query_arg ? [{ name: query_arg.split('=')[0], in: 'query', schema }] : [],
      ),
    ].filter(({ name }, n, all) => all.findIndex((each) => each.name === name) === n)
    const headers = Object.fromEntries(
      names('response_headers').map((name) => [name, { schema }] as const),
    )
    const responses = { 200: { description: 'fine', headers } }
    const used = new Set(this.#steps.map(({ request_method }) => request_method.toLowerCase()))
    const operations = [...used].map((method) => [
      method,
      { operationId: `${method}It`, parameters, responses },
    ])
    return JSON.stringify({
      openapi: '3.1.0',
      info: { title: this.id, version: '1' },
      paths: { '/it': Object.fromEntries(operations) },
    })
  }

  /** Answers as the origin of cache-tests does. */
  answer(request: IncomingMessage, response: ServerResponse): void {
    const here = this.#steps[this.#at]
    this.#seen.push(request)
    if (!here || here.disconnect) return void response.destroy()
    const said = headersOf(here)
    const isSame = this.#confirms(here, request.headers)
    this.#first ??= said
    for (const [name, values] of Object.entries(said)) response.setHeader(name, values)
    if (!response.hasHeader('content-type')) response.setHeader('Content-Type', 'text/plain')
    const [status, reason] = isSame ? [304, 'Not Modified'] : here.response_status
    response.writeHead(status, reason)
    response.end(isSame ? undefined : this.#body(here, Number(said['content-length'])))
  }

  #confirms({ expected_type: type }: Step, sent: IncomingMessage['headers']): boolean {
    if (type === 'lm_validated') return sent['if-modified-since'] !== undefined
    const tags = headersOf(this.#steps[this.#at - 1])['etag'] ?? []
    return type === 'etag_validated' && tags.includes(sent['if-none-match'] ?? '')
  }

  /** Without a body, a result has the headers that the description promises. */
  #body({ response_body: body }: Step, length: number): string | undefined {
    if (length > 0) return 'x'.repeat(length)
    const checksHeaders = this.#steps.some((each) => each.expected_response_headers.length > 0)
    return checksHeaders ? undefined : (body ?? this.id)
  }

  async run({ call, pause }: Ways): Promise<CaseResult> {
    const { id } = this
    const odd = this.#steps.find(
      ({ request_method, cache }) => cache !== undefined || !METHODS.has(request_method),
    )
    if (odd) {
      const what = odd.cache ? 'reloads as a browser does' : `sends ${odd.request_method}`
      return { id, verdict: 'not applicable', why: `no tool ${what}` }
    }
    for (const [at, here] of this.#steps.entries()) {
      this.#at = at
      const before = this.#seen.length
      const answer = await call(id, `${here.request_method.toLowerCase()}It`, argumentsOf(here))
      const problem = problemOf(here, { answer, asked: this.#seen[before], first: this.#first })
      if (problem) {
        const why = `request ${at + 1}: ${problem.why}`
        const isSetup = here.setup || here.setup_tests.includes(problem.check)
        return { id, verdict: isSetup ? 'optional' : problem.verdict, why }
      }
      if (here.pause_after) await pause()
    }
    return { id, verdict: 'passed', why: '' }
  }
}

function argumentsOf({ request_headers, query_arg }: Step): JsonObject {
  const [name, value] = query_arg.split('=')
  return {
    ...Object.fromEntries(request_headers.map(([key, text]) => [key, String(text)])),
    ...(name && { [name]: value }),
  }
}

function headersOf(said: Step | undefined): Record<string, string[]> {
  const headers: Record<string, string[]> = {}
  for (const [name, value] of said?.response_headers ?? [])
    (headers[name.toLowerCase()] ??= []).push(
      DATES.has(name.toLowerCase()) && typeof value === 'number'
        ? new Date(Date.now() + value * 1000).toUTCString()
        : String(value),
    )
  return headers
}
