import { Dependency, NotItsFault } from '../../../base/flow/dependency.ts'
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
/** Further requests wait for a free connection, within the time limit of their call. */
const MAX_CONNECTIONS = 20
/** The longest time that calls wait for the first connection, each within its own time limit. */
const WARM_MS = 2000

/** Calls a service elsewhere with a time limit. Each key has a circuit of its own. */
export class HttpPort implements TracesPort {
  readonly #baseUrl: string
  readonly #limits: CallLimits
  readonly #fetch: Fetch
  readonly #services = new Map<string, Dependency>()
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
    const limitMs = limitMsOf(call, this.#limits)
    let waitsForUs = false
    const answer = await this.#serviceFor(call.key).ask(
      async (late) => {
        await this.#warming
        late.throwIfAborted()
        waitsForUs = true
        return this.#connections.run(async () => {
          waitsForUs = false
          late.throwIfAborted()
          // Frees the connection in time even when the transport ignores its signal.
          return untilAborted(this.#send(call, limitMs, late), late)
        })
      },
      limitMs,
      () => !waitsForUs,
    )
    if (answer.kind === 'answer') return answer.value
    if (answer.kind === 'skipped') return { kind: 'degraded', reason: 'circuit_open' }
    return { kind: 'degraded', reason: answer.kind === 'late' ? 'timeout' : 'unavailable' }
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
      throw new NotItsFault('The caller gave up', { cause: error })
    })
    // Repeated 5xx responses open the circuit; a 4xx is a valid answer and does not.
    if (response.status >= 500) throw new Error(`HTTP ${response.status}`)
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

  #serviceFor(key: string): Dependency {
    const known = this.#services.get(key)
    if (known) return known
    const { failureThreshold: failures, recoveryMs: openMs } = this.#limits
    const service = new Dependency({ failures, openMs })
    this.#services.set(key, service)
    const [oldest] = this.#services.keys()
    if (this.#services.size > MAX_KEYS && oldest !== undefined) this.#services.delete(oldest)
    return service
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
