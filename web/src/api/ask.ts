import { signal } from '@preact/signals'
import type { DashboardApi } from '../../../src/dashboard/contract.ts'
import { ApiError } from './api-error.ts'

export const BASE = '/api/dashboard'

/** Set when the gateway requires a sign-in: the sign-in page is shown until then. */
export const signedOut = signal(false)

/**
 * Where the proof of the session of `portolan dashboard` is stored. Unlike the cookie, no page at
 * another port of this machine gets it.
 */
export const PROOF = 'portolan-proof'

type Endpoint = keyof DashboardApi
type Answer<E extends Endpoint> = DashboardApi[E]['answer']
type Body<E extends Endpoint> = DashboardApi[E] extends { body: infer B }
  ? { readonly body: B }
  : {}
type Query<E extends Endpoint> = DashboardApi[E] extends { query: infer Q }
  ? { readonly query: Q }
  : {}
type Names<E extends string> = E extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : E extends `${string}:${infer Name}`
    ? Name
    : never
type Params<E extends Endpoint> = [Names<E>] extends [never]
  ? {}
  : { readonly params: Readonly<Record<Names<E>, string>> }

export type Request<E extends Endpoint> = Body<E> &
  Query<E> &
  Params<E> & { readonly signal?: AbortSignal }

interface AnyRequest {
  readonly body?: unknown
  readonly query?: unknown
  readonly params?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Calls an endpoint by its name in the contract; throws an `ApiError` on failure. */
export async function ask<E extends Endpoint>(
  endpoint: E,
  ...[request]: {} extends Request<E> ? [Request<E>?] : [Request<E>]
): Promise<Answer<E>> {
  const given: AnyRequest = request ?? {}
  const response = await send(endpoint, given)
  const value: unknown = await response.json().catch(() => undefined)
  if (response.ok && isObject(value)) {
    // The server's own tests check that its answers have the types of the contract.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return value as Answer<E>
  }
  if (response.status === 401 && endpoint !== 'POST /login' && endpoint !== 'POST /session')
    signedOut.value = true
  throw toError(response.status, value)
}

async function send(endpoint: string, request: AnyRequest): Promise<Response> {
  const [method = 'GET', path = ''] = endpoint.split(' ')
  try {
    return await fetch(BASE + fill(path, request.params) + toSearch(request.query), {
      method,
      headers: {
        accept: 'application/json',
        'x-portolan-dashboard': storedProof() ?? '1',
        ...(method !== 'GET' && { 'content-type': 'application/json' }),
      },
      ...(method !== 'GET' && { body: JSON.stringify(request.body ?? {}) }),
      ...(request.signal && { signal: request.signal }),
    })
  } catch (error) {
    if (request.signal?.aborted) throw error
    throw new ApiError(0, 'The gateway does not answer', 'Is `portolan serve` running?', error)
  }
}

/** Returns null if there is none, or if the browser stores nothing for pages. */
function storedProof(): string | null {
  try {
    return localStorage.getItem(PROOF)
  } catch {
    return null
  }
}

function fill(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

function toSearch(query: unknown): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== '') search.set(name, String(value))
  return search.size === 0 ? '' : `?${search.toString()}`
}

function toError(status: number, value: unknown): ApiError {
  const error = isObject(value) && isObject(value['error']) ? value['error'] : {}
  const { message, hint } = error
  if (typeof message !== 'string')
    return new ApiError(
      status,
      `This is not an answer of the gateway (HTTP ${status})`,
      'Look at what is between this page and the gateway, such as a proxy.',
    )
  return new ApiError(status, message, typeof hint === 'string' ? hint : undefined)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
