import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type SurfaceName, isSurfaceName } from '../gateway/request.ts'
import type { Arrival } from '../fronts/backend.ts'

export interface ArrivalOptions {
  readonly transport?: 'http' | 'ws'
  readonly surface?: SurfaceName | undefined
  readonly toolset?: string | undefined
  /** Whether X-API-Key holds a key of the one upstream instead of one of the gateway. */
  readonly passesApiKey?: boolean | undefined
  /** The path of the request. */
  readonly path?: string | undefined
}

/** Reads from an HTTP request who sends it and what they ask for. */
export function toArrival(
  request: IncomingMessage,
  query: URLSearchParams | undefined,
  { transport = 'http', surface, toolset, passesApiKey = false, path }: ArrivalOptions,
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
    toolset,
    projectPath: query?.get('project_path') ?? undefined,
    alone: false,
  }
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return authorization !== undefined && /^bearer /i.test(authorization)
    ? authorization.slice('bearer '.length).trim()
    : undefined
}

/** Returns the headers for upstreams, without a key that was meant for the gateway. */
function toPassOn(headers: IncomingHttpHeaders, isOurs: boolean): Arrival['headers'] {
  const flat = isFlat(headers) ? headers : flatten(headers)
  if (!isOurs) return flat
  const { 'x-api-key': _, ...rest } = flat
  return rest
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

/** Node joins repeated headers into one string, except `Set-Cookie`, which no client needs. */
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
