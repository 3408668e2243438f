import type { Effect } from '../../../gateway/tools/effect.ts'
import { SCOPES, toScope } from './scopes.ts'

export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

export interface ProtectedResourceOptions {
  /** Our public address, without a path. */
  readonly origin: string
  /** The paths at which MCP is served; what is below one of them is served, too. */
  readonly paths: readonly string[]
  /** The issuers of the tokens that are accepted. */
  readonly authorizationServers: readonly string[]
  /** What clients should ask for; our own scopes when absent. */
  readonly scopes?: readonly string[] | undefined
}

/** The gateway as OAuth's resource server: its metadata (RFC 9728), and whom it refers to it. */
export interface ProtectedResource {
  readonly origin: string
  /** The identifiers that a token may be issued for, to be good at a path: the path itself, or one above it. */
  accepts(audience: string, path: string): boolean
  /** The resource of this identifier, if it is one of ours. */
  owns(resource: string): boolean
  /** The document about the resource at a path; undefined where nothing is served. */
  metadata(path: string): Record<string, unknown> | undefined
  /** The `WWW-Authenticate` of a request without a good token, or with one that is good for too little. */
  challenge(path: string, problem?: ChallengeProblem): string
}

export interface ChallengeProblem {
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
