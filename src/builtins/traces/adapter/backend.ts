import {
  BrokenCircuitError,
  ConsecutiveBreaker,
  bulkhead,
  circuitBreaker,
  handleWhen,
} from 'cockatiel'
import { type JsonObject, isObject } from '../../../base/json.ts'
import { TokenBucket } from './token-bucket.ts'

export type Fetch = (request: Request) => Promise<Response>

export interface BackendOptions {
  /** The network, or the service's own `fetch` when it runs in this process. */
  readonly fetch: Fetch
  readonly baseUrl: string
  readonly readTimeoutMs: number
  readonly writeTimeoutMs: number
  readonly failureThreshold: number
  readonly recoveryMs: number
  /** Requests under way at once; the others wait, which counts against their time. */
  readonly connections: number
  /** Per key; 0 is no limit. */
  readonly callsPerMinute: number
  readonly keyHeader: string
}

export interface BackendCall {
  readonly kind: 'read' | 'write'
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: JsonObject
  readonly key: string
  readonly signal: AbortSignal
}

/** How a call ended. Whatever happens, it is a value: an outage must never break an agent's session. */
export type Outcome =
  | { readonly kind: 'ok'; readonly body: JsonObject }
  /** The service understood and said no. */
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly detail: string
      readonly problem: JsonObject
    }
  | {
      readonly kind: 'degraded'
      readonly reason: DegradedReason
      readonly retryAfterSeconds?: number
    }

export type DegradedReason = 'circuit_open' | 'timeout' | 'unavailable' | 'rate_limited'

/** Of keys beyond this number the oldest is forgotten. */
const MOST_KEYS = 1000

const GRACE_MS = 10

class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

class ServerFailure extends Error {
  override readonly name = 'ServerFailure'
}

/** The caller has gone: no fault of the service. */
class Cancelled extends Error {
  override readonly name = 'Cancelled'
}

interface KeyState {
  readonly breaker: ReturnType<typeof circuitBreaker>
  readonly bucket: TokenBucket
}

/** Speaks HTTP to the traces service, in time or not at all; each key has a breaker and a bucket of its own. */
export class Backend {
  readonly #options: BackendOptions
  readonly #keys = new Map<string, KeyState>()
  readonly #pool: ReturnType<typeof bulkhead>

  constructor(options: BackendOptions) {
    this.#options = options
    this.#pool = bulkhead(options.connections, Number.POSITIVE_INFINITY)
  }

  async call(call: BackendCall): Promise<Outcome> {
    const limitMs =
      call.kind === 'read' ? this.#options.readTimeoutMs : this.#options.writeTimeoutMs
    const { breaker, bucket } = this.#stateOf(call.key)
    const waitSeconds = bucket.take()
    if (waitSeconds > 0)
      return { kind: 'degraded', reason: 'rate_limited', retryAfterSeconds: waitSeconds }
    try {
      // Outside the breaker as well: waiting for another call to test it counts against our time. A little
      // later than inside, so that the breaker has counted a timeout before its caller goes on.
      return await within(limitMs + GRACE_MS, async () =>
        breaker.execute(async () =>
          within(limitMs, async (late) => this.#pool.execute(async () => this.#send(call, late))),
        ),
      )
    } catch (error) {
      return { kind: 'degraded', reason: reasonOf(error) }
    }
  }

  async #send(call: BackendCall, late: AbortSignal): Promise<Outcome> {
    const request = new Request(new URL(call.path, this.#options.baseUrl), {
      method: call.method,
      headers: {
        [this.#options.keyHeader]: call.key,
        ...(call.body && { 'Content-Type': 'application/json' }),
      },
      ...(call.body && { body: JSON.stringify(call.body) }),
      signal: AbortSignal.any([call.signal, late]),
    })
    const { response, text } = await this.#receive(request).catch((error: unknown) => {
      throw call.signal.aborted ? new Cancelled('The caller gave up', { cause: error }) : error
    })
    // Inside the breaker, so that a storm of 5xx opens it; a 4xx is an answer and does not.
    if (response.status >= 500) throw new ServerFailure(`HTTP ${response.status}`)
    const body = parse(text)
    if (response.ok) return { kind: 'ok', body }
    if (response.status === 429) return rateLimited(response)
    const detail = typeof body['detail'] === 'string' ? body['detail'] : response.statusText
    return { kind: 'refused', status: response.status, detail, problem: body }
  }

  async #receive(request: Request): Promise<{ response: Response; text: string }> {
    // Whoever waited too long for a connection is not sent any more.
    request.signal.throwIfAborted()
    const response = await this.#options.fetch(request)
    return { response, text: await response.text() }
  }

  #stateOf(key: string): KeyState {
    const known = this.#keys.get(key)
    if (known) return known
    const breaker = circuitBreaker(
      handleWhen((error) => !(error instanceof Cancelled)),
      {
        halfOpenAfter: this.#options.recoveryMs,
        breaker: new ConsecutiveBreaker(this.#options.failureThreshold),
      },
    )
    const state = { breaker, bucket: new TokenBucket(this.#options.callsPerMinute) }
    this.#keys.set(key, state)
    const [oldest] = this.#keys.keys()
    if (this.#keys.size > MOST_KEYS && oldest !== undefined) this.#keys.delete(oldest)
    return state
  }
}

/** Ends in time even when the work ignores its signal. */
async function within<T>(ms: number, work: (late: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new TimedOut(`No answer within ${ms} ms`)
      late.abort(error)
      reject(error)
    }, ms)
  })
  try {
    return await Promise.race([work(late.signal), expired])
  } finally {
    clearTimeout(timer)
  }
}

function reasonOf(error: unknown): DegradedReason {
  if (error instanceof BrokenCircuitError) return 'circuit_open'
  return error instanceof TimedOut ? 'timeout' : 'unavailable'
}

function rateLimited(response: Response): Outcome {
  const seconds = Number(response.headers.get('Retry-After'))
  return {
    kind: 'degraded',
    reason: 'rate_limited',
    ...(seconds > 0 && { retryAfterSeconds: seconds }),
  }
}

function parse(text: string): JsonObject {
  if (text === '') return {}
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return { list: value }
  return isObject(value) ? value : {}
}
