import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { Provider, type Configuration } from 'oidc-provider'
import type { Later } from './temp-folder.ts'

export interface MailServer {
  readonly url: string
  readonly issuer: string
  /** Every call that reached it: the account of its token, and its method or tool. */
  readonly calls: { readonly account: string; readonly method: string }[]
  /** Every access token that it received. */
  readonly tokens: Set<string>
  readonly counts: { registrations: number; refreshes: number; refusals: number }
}

export interface MailOptions {
  /** How long access tokens last, in seconds. */
  readonly tokenSeconds?: number
  /** Delays tool calls by this long. */
  readonly slowMs?: number
}

/**
 * An MCP server where every account has its own mail, behind a real authorization server:
 * oidc-provider with registration, PKCE, `iss`, resource indicators, and single-use refresh tokens.
 */
export async function startMailServer(
  later: Later,
  options: MailOptions = {},
): Promise<MailServer> {
  const counts = { registrations: 0, refreshes: 0, refusals: 0 }
  const calls: { account: string; method: string }[] = []
  const tokens = new Set<string>()
  const http = createServer((request, response) => void answer(request, response))
  const origin = await listen(http)
  later(() => {
    http.closeAllConnections()
    http.close()
  })
  const resource = `${origin}/mcp`
  const provider = new Provider(origin, configuration(options))
  provider.on('registration_create.success', () => (counts.registrations += 1))
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params?.['grant_type'] === 'refresh_token') counts.refreshes += 1
  })
  provider.on('grant.error', () => (counts.refusals += 1))
  const authorization = provider.callback()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, 200, {
        resource,
        authorization_servers: [origin],
        scopes_supported: ['mail'],
      })
    if (url.pathname.startsWith('/interaction/')) return interact(request, response)
    if (url.pathname !== '/mcp') return authorization(request, response)
    return mcp(request, response)
  }

  /** Acts for the person: signs in, then grants the request. */
  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    const accountId = session?.accountId ?? String(request.headers['x-person'] ?? 'nobody')
    if (prompt.name === 'login')
      return provider.interactionFinished(request, response, { login: { accountId } })
    const grant = new provider.Grant({ clientId: String(params['client_id']), accountId })
    grant.addOIDCScope('openid offline_access mail')
    grant.addResourceScope(resource, 'mail')
    const grantId = await grant.save()
    const merged = { mergeWithLastSubmission: true }
    return provider.interactionFinished(request, response, { consent: { grantId } }, merged)
  }

  async function mcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = request.headers.authorization?.replace('Bearer ', '') ?? ''
    tokens.add(sent)
    const token = sent === '' ? undefined : await provider.AccessToken.find(sent)
    const account = token?.isExpired === false ? token.accountId : undefined
    if (account === undefined) {
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
      response.setHeader('www-authenticate', `Bearer resource_metadata="${metadata}", scope="mail"`)
      return json(response, 401, {})
    }
    if (request.method !== 'POST') return json(response, 405, {})
    const { id, method, params } = JSON.parse(await readAll(request))
    calls.push({ account, method: String(params?.name ?? method) })
    if (id === undefined) return json(response, 202, {})
    const result = await resultOf(method, params, account, options)
    return result
      ? json(response, 200, { jsonrpc: '2.0', id, result })
      : json(response, 404, { jsonrpc: '2.0', id, error: { code: -32601, message: method } })
  }

  return { url: resource, issuer: origin, calls, tokens, counts }
}

async function resultOf(
  method: string,
  params: { name?: string; uri?: string } | undefined,
  account: string,
  { slowMs = 0 }: MailOptions,
): Promise<object | undefined> {
  const readOnly = { annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }
  if (method === 'initialize')
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'mail', version: '1' },
      instructions: `Mail of ${account}`,
    }
  if (method === 'tools/list')
    return {
      tools: [
        { name: 'whoami', ...readOnly },
        { name: 'inbox', ...readOnly },
        // Each account has one tool that no other has.
        { name: `diary_of_${account}`, ...readOnly },
      ],
    }
  if (method === 'resources/list')
    return { resources: [{ uri: `mail://${account}/1`, name: `Letter to ${account}` }] }
  if (method === 'resources/templates/list') return { resourceTemplates: [] }
  if (method === 'resources/read')
    return { contents: [{ uri: params?.uri, text: `Dear ${account}` }] }
  if (method !== 'tools/call') return undefined
  await new Promise((resolve) => setTimeout(resolve, slowMs))
  const letters = Array.from({ length: 400 }, (_, n) => ({ to: account, subject: `Letter ${n}` }))
  const text = params?.name === 'inbox' ? JSON.stringify(letters) : `you are ${account}`
  return { content: [{ type: 'text', text }] }
}

function configuration({ tokenSeconds = 3600 }: MailOptions): Configuration {
  return {
    scopes: ['mail', 'offline_access'],
    findAccount: (_, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: tokenSeconds, RefreshToken: 86_400, Grant: 86_400, Session: 86_400 },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'mail',
          accessTokenFormat: 'opaque',
          accessTokenTTL: tokenSeconds,
        }),
        useGrantedResource: () => true,
      },
    },
    cookies: { keys: ['a secret of the test'] },
  }
}

async function listen(http: Server): Promise<string> {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = http.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
