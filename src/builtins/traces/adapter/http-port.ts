import { Buckets } from '../../../base/flow/bucket.ts'
import { Circuit } from '../../../base/flow/circuit.ts'
import { type JsonObject, isObject, parseObject } from '../../../base/json/json.ts'
import { Semaphore } from '../../../base/flow/semaphore.ts'
import { untilAborted, withTimeout } from '../../../base/flow/time.ts'
import { retryAfterMs } from '../../../base/net/retry-after.ts'
import {
  OPERATIONS,
  type Outcome,
  TIMEOUT_HEADER,
  type TracesCall,
  type TracesPort,
  limitMsOf,
} from '../port.ts'
import type { CallLimits } from './limits-from-env.ts'

export type Fetch = (request: Request) => Promise<Response>

/** The most keys whose state is kept; beyond that, the oldest is dropped. */
const MAX_KEYS = 1000
const MINUTE_MS = 60_000
/** Further requests wait for a free connection, at most as long as for the answer. */
const MAX_CONNECTIONS = 20
/** The longest time that the first call waits for the first connection. */
const WARM_MS = 2000

class CallFailure extends Error {
  override readonly name = 'CallFailure'
  readonly reason: 'timeout' | 'unavailable'
  /** Whether it is a failure of the service, which counts for the circuit. */
  readonly isTheirs: boolean

  constructor(
    reason: CallFailure['reason'],
    message: string,
    { isTheirs = true, cause }: { readonly isTheirs?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.reason = reason
    this.isTheirs = isTheirs
  }
}

/** Calls a service elsewhere with a time limit. Each key has a circuit and a bucket. */
export class HttpPort implements TracesPort {
  readonly #baseUrl: string
  readonly #limits: CallLimits
  readonly #fetch: Fetch
  readonly #circuits = new Map<string, Circuit>()
  readonly #buckets = new Buckets({ most: MAX_KEYS })
  readonly #connections = new Semaphore(MAX_CONNECTIONS)
  #warming: Promise<void> | undefined

  constructor(
    baseUrl: string,
    limits: CallLimits,
    send: Fetch = async (request) => fetch(request),
  ) {
    this.#baseUrl = baseUrl
    this.#limits = limits
    this.#fetch = send
  }

  async call(call: TracesCall): Promise<Outcome> {
    const waitSeconds = this.#secondsToWait(call.key)
    if (waitSeconds > 0)
      return { kind: 'degraded', reason: 'rate_limited', retryAfterSeconds: waitSeconds }
    const circuit = this.#circuitOf(call.key)
    if (circuit.enter() !== undefined) return { kind: 'degraded', reason: 'circuit_open' }
    try {
      const outcome = await this.#sendInTime(call)
      circuit.succeeded()
      return outcome
    } catch (error) {
      const { reason, isTheirs } =
        error instanceof CallFailure ? error : { reason: 'unavailable' as const, isTheirs: true }
      if (isTheirs) circuit.failed()
      else circuit.inconclusive()
      return { kind: 'degraded', reason }
    }
  }

  /** Opens a connection to the service in advance; resolves also if that fails. */
  async warm(): Promise<void> {
    this.#warming ??= withTimeout(
      this.#fetch(new Request(new URL('/health', this.#baseUrl))).then(async (answer) =>
        answer.text(),
      ),
      WARM_MS,
      () => undefined,
    ).then(
      () => undefined,
      () => undefined,
    )
    return this.#warming
  }

  /** Sends a call; its time limit starts when the request is sent, not while it waits for that. */
  async #sendInTime(call: TracesCall): Promise<Outcome> {
    const limitMs = limitMsOf(call, this.#limits)
    await this.#warming
    const gaveUp = new AbortController()
    let begun = false
    const sending = this.#connections.run(async () => {
      if (gaveUp.signal.aborted) throw gaveUp.signal.reason
      begun = true
      return this.#answerWithin(call, limitMs)
    })
    const timer = setTimeout(() => {
      const message = `No free connection within ${limitMs} ms`
      if (!begun) gaveUp.abort(new CallFailure('timeout', message, { isTheirs: false }))
    }, limitMs)
    return untilAborted(sending, gaveUp.signal).finally(() => clearTimeout(timer))
  }

  /** Ends in time even when the transport ignores its signal. */
  async #answerWithin(call: TracesCall, limitMs: number): Promise<Outcome> {
    const late = new AbortController()
    return withTimeout(this.#send(call, limitMs, late.signal), limitMs, () => {
      const error = new CallFailure('timeout', `No answer within ${limitMs} ms`)
      late.abort(error)
      throw error
    })
  }

  async #send(call: TracesCall, limitMs: number, late: AbortSignal): Promise<Outcome> {
    const { method, url, body: sent } = toRequest(call, this.#baseUrl)
    const request = new Request(url, {
      method,
      headers: {
        [this.#limits.keyHeader]: call.key,
        [TIMEOUT_HEADER]: String(limitMs),
        ...(sent !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(sent !== undefined && { body: sent }),
      signal: AbortSignal.any([call.signal, late]),
    })
    const { response, text } = await this.#receive(request).catch((error: unknown) => {
      if (!call.signal.aborted) throw error
      throw new CallFailure('unavailable', 'The caller gave up', { isTheirs: false, cause: error })
    })
    // Repeated 5xx responses open the circuit; a 4xx is a valid answer and does not.
    if (response.status >= 500) throw new CallFailure('unavailable', `HTTP ${response.status}`)
    if (response.ok) return { kind: 'ok', body: parse(text) }
    if (response.status === 429) return rateLimited(response)
    // A proxy in front of the service may refuse with a page instead of JSON.
    const body = parseObject(text) ?? {}
    const detail = typeof body['detail'] === 'string' ? body['detail'] : response.statusText
    return { kind: 'refused', status: response.status, detail, problem: body }
  }

  async #receive(request: Request): Promise<{ response: Response; text: string }> {
    const response = await this.#fetch(request)
    return { response, text: await response.text() }
  }

  #secondsToWait(key: string): number {
    const { callsPerMinute } = this.#limits
    if (callsPerMinute === 0) return 0
    const pace = { intervalMs: MINUTE_MS / callsPerMinute, capacityMs: MINUTE_MS }
    return Math.ceil(this.#buckets.take(key, pace) / 1000)
  }

  #circuitOf(key: string): Circuit {
    const known = this.#circuits.get(key)
    if (known) return known
    const { failureThreshold: failures, recoveryMs: openMs } = this.#limits
    const circuit = new Circuit(() => ({ failures, openMs }))
    this.#circuits.set(key, circuit)
    const [oldest] = this.#circuits.keys()
    if (this.#circuits.size > MAX_KEYS && oldest !== undefined) this.#circuits.delete(oldest)
    return circuit
  }
}

function toRequest({ operation, id = '', input }: TracesCall, baseUrl: string) {
  const { method, path } = OPERATIONS[operation]
  const url = new URL(path.replace('{id}', encodeURIComponent(id)), baseUrl)
  if (method === 'GET')
    for (const [name, value] of Object.entries(input ?? {}))
      url.searchParams.set(name, String(value))
  return { method, url, body: method === 'POST' && input ? JSON.stringify(input) : undefined }
}

function rateLimited(response: Response): Outcome {
  const waitMs = retryAfterMs(response.headers.get('Retry-After'))
  return {
    kind: 'degraded',
    reason: 'rate_limited',
    ...(waitMs && { retryAfterSeconds: Math.ceil(waitMs / 1000) }),
  }
}

function parse(text: string): JsonObject {
  if (text === '') return {}
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return { list: value }
  return isObject(value) ? value : {}
}
