import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { SurfaceName } from '../../gateway/request.ts'
import type { Arrival } from '../backend.ts'

const SURFACES: readonly string[] = ['auto', 'discover', 'direct']

/** What an HTTP request says about who sends it. */
export function toArrival(
  request: IncomingMessage,
  query: URLSearchParams | undefined,
  { transport = 'http', surface }: { transport?: 'http' | 'ws'; surface?: SurfaceName | undefined },
): Arrival {
  const { headers } = request
  const asked = query?.get('surface') ?? null
  return {
    transport,
    credential: credentialOf(headers),
    claimedAgent: single(headers['x-agent-id']),
    headers: isFlat(headers) ? headers : {},
    surface: isSurface(asked) ? asked : surface,
    projectPath: query?.get('project_path') ?? undefined,
    alone: false,
  }
}

function credentialOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined && /^bearer /i.test(authorization))
    return authorization.slice('bearer '.length).trim()
  return single(headers['x-api-key'])
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function isSurface(value: string | null): value is SurfaceName {
  return value !== null && SURFACES.includes(value)
}

/** Node joins repeated headers into one string, all but this one, which no request carries. */
function isFlat(
  headers: IncomingHttpHeaders,
): headers is IncomingHttpHeaders & Readonly<Record<string, string | undefined>> {
  return headers['set-cookie'] === undefined
}
