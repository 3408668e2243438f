import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { Fetch } from './guarded-fetch.ts'

/** Revokes tokens at the authorization server (RFC 7009), if it supports that. */
export async function revokeTokens(
  { access_token, refresh_token, issuer }: StoredOAuthTokens,
  client: StoredOAuthClientInformation | undefined,
  fetchFn: Fetch,
): Promise<void> {
  const sdk = await import('@modelcontextprotocol/client')
  if (issuer === undefined || !client) return
  const metadata = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn })
  const endpoint: unknown = metadata && Reflect.get(metadata, 'revocation_endpoint')
  if (typeof endpoint !== 'string') return
  const supported = metadata?.token_endpoint_auth_methods_supported ?? []
  const body = new URLSearchParams({
    token: refresh_token ?? access_token,
    token_type_hint: refresh_token === undefined ? 'access_token' : 'refresh_token',
  })
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
  prove(client, sdk.selectClientAuthMethod(client, supported), { headers, body })
  await fetchFn(endpoint, { method: 'POST', headers, body: body.toString() })
}

function prove(
  { client_id, client_secret = '' }: StoredOAuthClientInformation,
  method: string,
  { headers, body }: { readonly headers: Headers; readonly body: URLSearchParams },
): void {
  if (method === 'client_secret_basic') {
    const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
    return headers.set('authorization', `Basic ${basic}`)
  }
  body.set('client_id', client_id)
  if (method === 'client_secret_post') body.set('client_secret', client_secret)
}
