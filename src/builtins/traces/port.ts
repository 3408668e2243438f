import type { JsonObject } from '../../base/json/json.ts'

/** What the tools need of a traces service, which runs in this process or elsewhere. */
export interface TracesPort {
  /** Never rejects: an outage must not break an agent's session. */
  call(call: TracesCall): Promise<Outcome>
}

/** The most other wordings of one search; each is searched. */
export const MAX_WORDINGS = 5

/** The operations that agents and the dashboard use, and where the REST API has them. */
export const OPERATIONS = {
  search: { kind: 'read', method: 'POST', path: '/api/v1/traces/search' },
  contribute: { kind: 'write', method: 'POST', path: '/api/v1/traces' },
  list: { kind: 'read', method: 'GET', path: '/api/v1/traces' },
  get: { kind: 'read', method: 'GET', path: '/api/v1/traces/{id}' },
  vote: { kind: 'write', method: 'POST', path: '/api/v1/traces/{id}/votes' },
  amend: { kind: 'write', method: 'POST', path: '/api/v1/traces/{id}/amendments' },
  amendments: { kind: 'read', method: 'GET', path: '/api/v1/traces/{id}/amendments' },
  voteAmendment: { kind: 'write', method: 'POST', path: '/api/v1/amendments/{id}/votes' },
  decideAmendment: { kind: 'write', method: 'POST', path: '/api/v1/amendments/{id}/decision' },
  tags: { kind: 'read', method: 'GET', path: '/api/v1/tags' },
  flag: { kind: 'write', method: 'POST', path: '/api/v1/traces/{id}/flag' },
  flagged: { kind: 'read', method: 'GET', path: '/api/v1/moderation/flagged' },
  unflag: { kind: 'write', method: 'DELETE', path: '/api/v1/moderation/traces/{id}/flags' },
  validate: { kind: 'write', method: 'POST', path: '/api/v1/moderation/traces/{id}/validate' },
  remove: { kind: 'write', method: 'DELETE', path: '/api/v1/moderation/traces/{id}' },
} as const satisfies Record<string, Endpoint>

export type OperationName = keyof typeof OPERATIONS

interface Endpoint {
  readonly kind: 'read' | 'write'
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
}

export interface OperationCall {
  readonly operation: OperationName
  /** The trace or the amendment that it is about. */
  readonly id?: string | undefined
  /** The body, or the query of a GET request. */
  readonly input?: JsonObject | undefined
}

export interface TracesCall extends OperationCall {
  readonly key: string
  readonly signal: AbortSignal
  /** A person waits longer than an agent: even a read may take as long as a write. */
  readonly isPatient?: boolean
}

/** The result of a call. Failures are values too: an outage must never break an agent's session. */
export type Outcome =
  | { readonly kind: 'ok'; readonly body: JsonObject }
  /** The service rejected the request. */
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

export interface TimeLimits {
  readonly readTimeoutMs: number
  readonly writeTimeoutMs: number
}

export function limitMsOf(
  { operation, isPatient = false }: TracesCall,
  { readTimeoutMs, writeTimeoutMs }: TimeLimits,
): number {
  return OPERATIONS[operation].kind === 'write' || isPatient ? writeTimeoutMs : readTimeoutMs
}

/** Finds the operation of a request to the REST API; undefined if it is not one of these. */
export function toOperation(
  method: string,
  address: string,
  body: JsonObject | undefined,
): OperationCall | undefined {
  const { pathname, searchParams } = new URL(address, 'http://traces.invalid')
  for (const operation of operationNames()) {
    const endpoint = OPERATIONS[operation]
    const [before = '', after] = endpoint.path.split('{id}')
    if (endpoint.method !== method || !pathname.startsWith(before)) continue
    const input = method === 'GET' ? Object.fromEntries(searchParams) : body
    if (after === undefined && pathname === before) return { operation, input }
    if (after === undefined || !pathname.endsWith(after)) continue
    const id = pathname.slice(before.length, pathname.length - after.length)
    if (id !== '' && !id.includes('/')) return { operation, id, input }
  }
  return undefined
}

export function operationNames(): OperationName[] {
  return Object.keys(OPERATIONS).filter((name): name is OperationName => name in OPERATIONS)
}

/** The header with the milliseconds that the caller waits; the service skips slower steps. */
export const TIMEOUT_HEADER = 'X-Timeout-Ms'
