import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { parseExact, stringifyExact } from '../../../base/json/exact-json.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import type { TraceHeaders } from '../../../protocol/trace-context.ts'
import { retryAfterMs } from '../../../base/net/retry-after.ts'
import type { ApiConfig } from '../load/api-config.ts'
import { ApiProblem } from './api-problem.ts'
import type { CallPlan } from '../tools/api-tool.ts'
import type { Credentials } from '../request/authorize-request.ts'
import { type DecodedBody, decodeResponse } from './decode-response.ts'
import type { HttpClient, HttpResponse } from '../http/http-client.ts'
import { HttpFailure } from '../http/http-failure.ts'
import { confirms, readFreshness, validatorsFor } from '../http/http-freshness.ts'
import type { Freshness } from '../../../protocol/freshness.ts'
import { BadArguments } from '../request/bad-arguments.ts'
import { buildRequest } from '../request/build-request.ts'
import { type FileAccess, readUploads } from '../request/upload.ts'

export interface ApiAnswer {
  readonly status: number
  readonly headers: HttpResponse['headers']
  readonly url: URL
  readonly body: DecodedBody
  readonly freshness?: Freshness | undefined
}

export interface ApiCallerOptions {
  readonly server: string
  readonly base: URL
  readonly config: Pick<ApiConfig, 'headers' | 'timeoutMs' | 'retries' | 'backoffMs' | 'uploadFrom'>
  readonly client: HttpClient
  readonly credentials: Credentials
}

type CallContext = Pick<ServiceContext, 'signal' | 'trace' | 'isRemote' | 'project'> & {
  /** An earlier answer to the same call, which the API may confirm with a 304. */
  readonly stored?: Freshness | undefined
}

const USER_AGENT = 'portolan'
const TRACE = ['traceparent', 'tracestate']
const NO_SECRETS = new Set(['accept', 'accept-language', 'content-type', 'user-agent'])
const EXCERPT_CHARS = 600
/**
 * The time for all attempts together, unless one alone may take longer. It is below the minute that
 * the gateway gives a call, so that the agent learns what the API did instead of getting a timeout.
 */
const TOTAL_MS = 50_000
/** An attempt with less time than this would only fail again. */
const MIN_ATTEMPT_MS = 2_000

/** Sends the calls of one API: credentials, retries, decoding; every failure is an `ApiProblem`. */
export class ApiCaller {
  readonly #options: ApiCallerOptions

  constructor(options: ApiCallerOptions) {
    this.#options = options
  }

  async call(
    tool: string,
    plan: CallPlan,
    args: JsonObject,
    context: CallContext,
  ): Promise<ApiAnswer> {
    const where = { tool, server: this.#options.server, arguments: args }
    try {
      const ready = await readUploads(plan, args, this.#fileAccess(context))
      const { url, response, freshness } = await this.#send(plan, ready, context)
      if (context.stored && response.status === 304 && !confirms(response, context.stored))
        return await this.call(tool, plan, args, { ...context, stored: undefined })
      const promised = response.status < 400 ? plan.answers : []
      const body = decodeResponse(response, promised)
      if (response.status < 400)
        return { status: response.status, headers: response.headers, url, body, freshness }
      throw new ApiProblem('status', this.#redact(statusMessage(response.status, body)), {
        ...where,
        status: response.status,
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
        upstream: this.#excerpt(body),
      })
    } catch (error) {
      if (error instanceof BadArguments) {
        const problems = error.problems.map(({ argument, expected }) => ({
          path: argument,
          expected,
        }))
        throw new ApiProblem('invalid', error.message, { ...where, problems, cause: error })
      }
      if (!(error instanceof HttpFailure)) throw error
      throw new ApiProblem(error.kind, this.#redact(error.message), { ...where, cause: error })
    }
  }

  async #send(plan: CallPlan, args: JsonObject, context: CallContext) {
    const { signal } = context
    const { config, credentials } = this.#options
    let renewed = false
    const endsAt = performance.now() + Math.max(TOTAL_MS, config.timeoutMs)
    for (let number = 0; ; number++) {
      const attempt = { number, backoffMs: config.backoffMs, readOnly: plan.readOnly }
      const isLast = number >= config.retries
      try {
        const sent = await this.#once(plan, args, context, endsAt - performance.now())
        if (sent.response.status === 401 && !renewed && credentials.renew()) {
          renewed = true
          continue
        }
        const delay = isLast ? undefined : delayAfterResponse(sent.response, attempt)
        if (delay === undefined || !hasTime(endsAt, delay)) return sent
        await sleep(delay, undefined, { signal })
      } catch (error) {
        const delay = backoff(attempt)
        if (isLast || !mayRepeat(error, attempt) || !hasTime(endsAt, delay)) throw error
        await sleep(delay, undefined, { signal })
      }
    }
  }

  async #once(
    plan: CallPlan,
    args: JsonObject,
    { signal, trace = {}, stored }: CallContext,
    leftMs: number,
  ) {
    const { base, config, client, credentials } = this.#options
    const built = buildRequest(plan, this.#baseOf(plan, base), args)
    const headers = {
      'user-agent': USER_AGENT,
      accept: toAccept(plan.answers),
      ...lowerCase(config.headers ?? {}),
      ...lowerCase(built.headers),
      ...withoutBaggage(trace),
    }
    const url = new URL(built.url)
    if (!plan.open) await credentials.apply({ url, headers }, plan.security)
    const sentAt = Date.now()
    const response = await client.send({
      method: plan.method,
      url,
      headers: { ...headers, ...(stored && validatorsFor(stored, headers)) },
      body: built.body,
      timeoutMs: Math.max(1, Math.min(config.timeoutMs, Math.round(leftMs))),
      signal,
    })
    const freshness = readFreshness(
      {
        method: plan.method,
        sent: headers,
        hasCredentials: this.#hasCredentials(headers),
        varying: credentials.renewable ? [...TRACE, 'authorization'] : TRACE,
        sentAt,
        receivedAt: Date.now(),
        response,
      },
      stored,
    )
    return { url: built.url, response, freshness }
  }

  /** Whether anything that was sent may be a secret; of configured headers only a few are not. */
  #hasCredentials(sent: Readonly<Record<string, string>>): boolean {
    const { base, config, credentials } = this.#options
    return (
      credentials.secrets.length > 0 ||
      base.search !== '' ||
      base.username !== '' ||
      Object.keys(config.headers ?? {}).some((name) => !NO_SECRETS.has(name.toLowerCase())) ||
      ['authorization', 'cookie'].some((name) => name in sent)
    )
  }

  /** Allows files in the configured folders, and in the project if it is a root of the client. */
  #fileAccess({ isRemote, project }: CallContext): FileAccess {
    const { uploadFrom } = this.#options.config
    return {
      async folders() {
        if (isRemote) return undefined
        const { path, source } = await project()
        return source === 'roots' ? [path, ...uploadFrom] : uploadFrom
      },
    }
  }

  #baseOf(plan: CallPlan, base: URL): URL {
    return plan.server === undefined ? base : new URL(plan.server, base)
  }

  #excerpt(body: DecodedBody): unknown {
    if (body.kind === 'text') return this.#redact(body.text).slice(0, EXCERPT_CHARS).trim()
    if (body.kind !== 'json') return undefined
    const json = this.#redact(stringifyExact(body.value))
    if (json.length > EXCERPT_CHARS) return `${json.slice(0, EXCERPT_CHARS)}…`
    try {
      return parseExact(json)
    } catch {
      // The secret was a number or part of one.
      return json
    }
  }

  /** Hides the secrets in a text, also as JSON writes them. */
  #redact(text: string): string {
    const { secrets } = this.#options.credentials
    return secrets
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
      .reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text)
  }
}

/** Puts JSON first: a server with a choice sends the type that its description names first. */
function toAccept(types: readonly string[]): string {
  if (types.length === 0) return 'application/json, */*;q=0.5'
  const json = types.filter((type) => /[/+]json\b/.test(type))
  const others = types.filter((type) => !json.includes(type))
  return [...json, ...others.map((type) => (json.length > 0 ? `${type};q=0.5` : type))].join(', ')
}

function hasTime(endsAt: number, delayMs: number): boolean {
  return performance.now() + delayMs + MIN_ATTEMPT_MS < endsAt
}

function mayRepeat(error: unknown, { readOnly }: Attempt): boolean {
  if (!(error instanceof HttpFailure) || !readOnly) return false
  return error.kind === 'unreachable' || error.kind === 'timeout'
}

/** Returns the status with the API's own error message, if it has one. */
function statusMessage(status: number, body: DecodedBody): string {
  const value = body.kind === 'json' && isObject(body.value) ? body.value : {}
  const inner = isObject(value['error']) ? value['error'] : value
  const words = ['message', 'Message', 'detail', 'title', 'error_description', 'error']
    .map((key) => inner[key] ?? value[key])
    .find((word) => typeof word === 'string' && word !== '')
  return `The API answered ${status}${typeof words === 'string' ? `: ${words.slice(0, 200)}` : ''}`
}

/** Baggage may hold anything about the caller: it is not sent to an API outside the team. */
function withoutBaggage({ traceparent, tracestate }: TraceHeaders): Record<string, string> {
  if (traceparent === undefined) return {}
  return { traceparent, ...(tracestate !== undefined && { tracestate }) }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

/** The longest wait; for more, the agent is asked to call again later. */
const MAX_WAIT_MS = 10_000

interface Attempt {
  readonly number: number
  readonly backoffMs: number
  readonly readOnly: boolean
}

/** How long to wait before sending again; `undefined` when it must not be sent again. */
function delayAfterResponse(response: HttpResponse, attempt: Attempt): number | undefined {
  const { status, headers } = response
  const asked = retryAfterMs(headers['retry-after'])
  // 429, and 503 with Retry-After, both mean that nothing was done.
  const untouched = status === 429 || (status === 503 && asked !== undefined)
  const repeatable = attempt.readOnly && [500, 502, 503, 504].includes(status)
  if (!untouched && !repeatable) return undefined
  const delay = asked ?? backoff(attempt)
  return delay <= MAX_WAIT_MS ? delay : undefined
}

/** Doubling, with jitter so that many callers do not retry at the same moment. */
function backoff({ number, backoffMs }: Attempt): number {
  return backoffMs * 2 ** number * (0.75 + Math.random() / 4)
}
