import { createHash, randomBytes } from 'node:crypto'
import { Browser, type Page } from './browser.ts'
import { CALLBACK, type Person } from './signing-client.ts'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly error?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Tokens
}

/** An OAuth client with separate steps, so that a test can do one of them wrongly. */
export class OAuthClient {
  readonly origin: string
  readonly verifier = randomBytes(32).toString('base64url')
  readonly browser = new Browser()
  clientId = ''

  constructor(origin: string) {
    this.origin = origin
  }

  async register(metadata: object = {}): Promise<this> {
    const response = await fetch(`${this.origin}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Harbour Editor',
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'none',
        ...metadata,
      }),
    })
    const { client_id }: { client_id: string } = JSON.parse(await response.text())
    this.clientId = client_id
    return this
  }

  /** Returns the address to which a client sends its person. */
  address(more: Record<string, string> = {}): string {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: CALLBACK,
      state: 'xyz',
      scope: 'tools:read tools:write tools:delete',
      resource: `${this.origin}/mcp`,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    })
    return `${this.origin}/oauth/authorize?${query.toString()}`
  }

  async open(more: Record<string, string> = {}): Promise<Page> {
    return this.browser.open(this.address(more), this.origin)
  }

  /** Signs in as the person and returns the authorization code. */
  async code(person: Person, more: Record<string, string> = {}): Promise<string> {
    const last = await person(this.browser, await this.open(more))
    const code = last.url.searchParams.get('code')
    if (code === null) throw new Error(`No code at ${last.url.href}:\n${last.text}`)
    return code
  }

  async redeem(code: string, more: Record<string, string> = {}): Promise<Answer> {
    return this.post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: this.verifier,
      ...more,
    })
  }

  async refresh(refreshToken: string): Promise<Answer> {
    return this.post('/oauth/token', { grant_type: 'refresh_token', refresh_token: refreshToken })
  }

  async post(path: string, fields: Record<string, string>): Promise<Answer> {
    const response = await fetch(`${this.origin}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: this.clientId, ...fields }),
    })
    const text = await response.text()
    const { status, headers } = response
    return { status, headers, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }
}

/** Sends a request with a token to the endpoint. */
export async function useToken(url: string, token?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    }),
  })
}
