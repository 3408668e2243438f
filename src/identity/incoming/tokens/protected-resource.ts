import type { Effect } from '../../../gateway/tools/effect.ts'
import { SCOPES, toScope } from './scopes.ts'

export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

export interface ProtectedResourceOptions {
  /** Our public address, without a path. */
  readonly origin: string
  /** The paths at which MCP is served; paths below them are served too. */
  readonly paths: readonly string[]
  /** The issuers whose tokens are accepted. */
  readonly authorizationServers: readonly string[]
  /** The scopes that clients should ask for; our own if absent. */
  readonly scopes?: readonly string[] | undefined
}

/** The gateway as an OAuth resource server: its metadata (RFC 9728) and its challenges. */
export interface ProtectedResource {
  readonly origin: string
  /** Whether a token for this audience is valid at a path: at the audience's path or below it. */
  accepts(audience: string, path: string): boolean
  /** Whether this identifier is a resource of ours. */
  owns(resource: string): boolean
  /** Returns the metadata of the resource at a path; undefined if nothing is served there. */
  metadata(path: string): Record<string, unknown> | undefined
  /** Returns the `WWW-Authenticate` header for a missing, invalid or insufficient token. */
  challenge(path: string, problem?: ChallengeProblem): string
}

interface ChallengeProblem {
  readonly error: 'invalid_token' | 'insufficient_scope'
  readonly effects?: readonly Effect[] | undefined
}

export function createProtectedResource(options: ProtectedResourceOptions): ProtectedResource {
  const { origin, paths, authorizationServers, scopes = SCOPES } = options
  const serves = (path: string) =>
    path === '' || paths.some((own) => path === own || path.startsWith(`${own}/`))
  const pathOf = (resource: string) => {
    if (!URL.canParse(resource)) return undefined
    const url = new URL(resource)
    const isPlain = url.search === '' && url.hash === '' && url.username === ''
    return url.origin === origin && isPlain ? withoutSlash(url.pathname) : undefined
  }
  return {
    origin,
    accepts(audience, path) {
      const above = pathOf(audience)
      return above !== undefined && (path === above || path.startsWith(`${above}/`))
    },
    owns(resource) {
      const path = pathOf(resource)
      return path !== undefined && serves(path)
    },
    metadata(path) {
      const own = withoutSlash(path)
      if (!serves(own)) return undefined
      return {
        resource: `${origin}${own}`,
        authorization_servers: authorizationServers,
        scopes_supported: scopes,
        bearer_methods_supported: ['header'],
        resource_name: 'Portolan',
      }
    },
    challenge(path, problem) {
      const needed = problem?.effects?.map(toScope) ?? scopes
      return [
        'Bearer realm="portolan"',
        ...(problem ? [`error="${problem.error}"`] : []),
        `resource_metadata="${origin}${RESOURCE_METADATA}${serves(path) ? path : ''}"`,
        `scope="${needed.join(' ')}"`,
      ].join(', ')
    },
  }
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '')
}
