import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type SurfaceName, isSurfaceName } from '../gateway/request.ts'
import type { Arrival } from '../fronts/backend.ts'

export interface ArrivalOptions {
  readonly transport?: 'http' | 'ws'
  readonly surface?: SurfaceName | undefined
  /** X-API-Key is a key of the one server behind us, and none of ours. */
  readonly passesApiKey?: boolean | undefined
  /** Where the request came in. */
  readonly path?: string | undefined
}

/** What an HTTP request says about who sends it. */
export function toArrival(
  request: IncomingMessage,
  query: URLSearchParams | undefined,
  { transport = 'http', surface, passesApiKey = false, path }: ArrivalOptions,
): Arrival {
  const { headers } = request
  const asked = query?.get('surface') ?? null
  const token = bearerOf(headers)
  const key = passesApiKey || token !== undefined ? undefined : single(headers['x-api-key'])
  return {
    transport,
    path,
    credential: token ?? key,
    claimedAgent: single(headers['x-agent-id']),
    headers: toPassOn(headers, key !== undefined),
    surface: asked !== null && isSurfaceName(asked) ? asked : surface,
    projectPath: query?.get('project_path') ?? undefined,
    alone: false,
  }
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return authorization !== undefined && /^bearer /i.test(authorization)
    ? authorization.slice('bearer '.length).trim()
    : undefined
}

/** A key that was meant for us is no key of the servers behind us. */
function toPassOn(headers: IncomingHttpHeaders, isOurs: boolean): Arrival['headers'] {
  const flat = isFlat(headers) ? headers : flatten(headers)
  if (!isOurs) return flat
  const { 'x-api-key': _, ...rest } = flat
  return rest
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

/** Node joins repeated headers into one string, all but `Set-Cookie`, which no client has a reason to send. */
function isFlat(
  headers: IncomingHttpHeaders,
): headers is IncomingHttpHeaders & Readonly<Record<string, string | undefined>> {
  return headers['set-cookie'] === undefined
}

function flatten(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
}
