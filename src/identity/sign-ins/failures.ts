import { GatewayError } from '../../gateway/errors.ts'

/** The server or its authorization server fails, and the person cannot help. */
export function signInFailed(server: string, reason: string, cause: unknown): GatewayError {
  return new GatewayError(
    'SERVER_UNAVAILABLE',
    `Signing in to server '${server}' is not possible: ${reason}`,
    {
      reason: 'sign_in_failed',
      hint: 'If it offers no OAuth, give it an Authorization header in .mcp.json; if it wants a registered client, set oauth.clientId there.',
      inconclusive: true,
      cause,
    },
  )
}

/** The person has allowed what the server asked for, and it still refuses. */
export function notEnough(server: string, scopes = ''): GatewayError {
  return new GatewayError(
    'SERVER_UNAVAILABLE',
    `Server '${server}' refuses the call: the scopes "${scopes}" that you have allowed are not enough`,
    {
      reason: 'insufficient_scope',
      hint: 'Ask whoever runs that server for more rights; signing in again does not help.',
      inconclusive: true,
    },
  )
}

/** The code of the browser was refused. Never includes what the other side wrote. */
export function codeRefused(isForeign: boolean, cause: unknown): GatewayError {
  const why = isForeign
    ? 'the answer came from another authorization server'
    : 'its authorization server refused the code'
  return new GatewayError('SERVER_UNAVAILABLE', why, { cause })
}
