import { createHash } from 'node:crypto'
import { type IncomingMessage, createServer } from 'node:http'
import { onTestFinished } from 'vitest'

export interface TestAuthorizationServer {
  readonly origin: string
  /** The MCP server for which it issues tokens. */
  readonly url: string
  /** The forms posted to it, with path and authorization header. */
  readonly posted: { readonly path: string; readonly form: URLSearchParams; readonly by: string }[]
  /** How it behaves from now on. */
  readonly manners: {
    /** How it handles a refresh token. */
    refresh: 'renew' | 'refuse' | 'fail'
    expiresIn: number | undefined
    givesRefreshTokens: boolean
    scope: string | undefined
    /** Whether metadata documents name it. */
    isNamed: boolean
    /** Whether clients may give a metadata document instead of registering. */
    takesDocuments: boolean
  }
  /** Agrees as the person at this address; returns the parameters of the redirect. */
  approve(address: URL, more?: Record<string, string>): URLSearchParams
}

/** A server that requires a sign-in, and its minimal authorization server. */
export async function startAuthorizationServer(): Promise<TestAuthorizationServer> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.close()
    http.closeAllConnections()
  })
  const address = http.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const posted: TestAuthorizationServer['posted'] = []
  const challenges = new Map<string, string>()
  const manners: TestAuthorizationServer['manners'] = {
    refresh: 'renew',
    expiresIn: 3_600,
    givesRefreshTokens: true,
    scope: undefined,
    isNamed: true,
    takesDocuments: false,
  }
  let issued = 0

  function tokens(): object {
    issued += 1
    return {
      access_token: `access-${issued}`,
      token_type: 'Bearer',
      ...(manners.expiresIn !== undefined && { expires_in: manners.expiresIn }),
      ...(manners.givesRefreshTokens && { refresh_token: `refresh-${issued}` }),
      ...(manners.scope !== undefined && { scope: manners.scope }),
    }
  }

  function grant(form: URLSearchParams): [number, object] {
    if (form.get('grant_type') === 'client_credentials') return [200, tokens()]
    if (form.get('grant_type') === 'refresh_token') {
      if (manners.refresh === 'fail') return [503, {}]
      return manners.refresh === 'renew' ? [200, tokens()] : [400, { error: 'invalid_grant' }]
    }
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isGood = challenges.get(form.get('code') ?? '') === proof
    return isGood ? [200, tokens()] : [400, { error: 'invalid_grant' }]
  }

  async function answer(request: IncomingMessage): Promise<[number, object]> {
    const { pathname } = new URL(request.url ?? '/', origin)
    const text = await readAll(request)
    if (pathname === '/register')
      return [201, { ...JSON.parse(text), client_id: 'client-of-portolan' }]
    if (request.method === 'POST') {
      const form = new URLSearchParams(text)
      posted.push({ path: pathname, form, by: request.headers.authorization ?? '' })
      return pathname === '/token' ? grant(form) : [200, {}]
    }
    if (!manners.isNamed) return [404, {}]
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return [200, { resource: `${origin}/mcp`, authorization_servers: [origin] }]
    if (!pathname.startsWith('/.well-known/oauth-authorization-server')) return [404, {}]
    return [
      200,
      {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        revocation_endpoint: `${origin}/revoke`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: manners.takesDocuments,
      },
    ]
  }

  http.on('request', (request, response) => {
    void answer(request).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  })
  return {
    origin,
    url: `${origin}/mcp`,
    posted,
    manners,
    approve({ searchParams }, more = {}) {
      const code = `code-${challenges.size + 1}`
      challenges.set(code, searchParams.get('code_challenge') ?? '')
      const state = searchParams.get('state') ?? ''
      return new URLSearchParams({ code, state, iss: origin, ...more })
    },
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}
