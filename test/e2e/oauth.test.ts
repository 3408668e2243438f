import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/temp-folder.ts'

interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

// A server that wants a sign-in, and the authorization server it names, as small as the protocol allows.
async function startProtectedServer(): Promise<{ url: string; http: Server; tokens: Set<string> }> {
  const tokens = new Set<string>()
  const challenges = new Map<string, string>()
  const http = createServer((request, response) => void reply(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = http.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status = 200, headers = {}, body } = await answer(request)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body === undefined ? '' : JSON.stringify(body))
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '/', origin)
    const text = await readAll(request)
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource'))
      return { body: { resource: `${origin}/mcp`, authorization_servers: [origin] } }
    if (url.pathname === '/.well-known/oauth-authorization-server')
      return {
        body: {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        },
      }
    if (url.pathname === '/register')
      return { status: 201, body: { ...JSON.parse(text), client_id: 'client-1' } }
    if (url.pathname === '/authorize') return authorize(url.searchParams)
    if (url.pathname === '/token') return exchangeCode(new URLSearchParams(text))
    return mcp(request, text)
  }

  function authorize(query: URLSearchParams): Answer {
    challenges.set('code-1', query.get('code_challenge') ?? '')
    const back = new URL(query.get('redirect_uri') ?? '')
    back.searchParams.set('code', 'code-1')
    back.searchParams.set('state', query.get('state') ?? '')
    back.searchParams.set('iss', origin)
    return { status: 302, headers: { location: back.href } }
  }

  function exchangeCode(form: URLSearchParams): Answer {
    const verifier = form.get('code_verifier') ?? ''
    const proof = createHash('sha256').update(verifier).digest('base64url')
    if (proof !== challenges.get(form.get('code') ?? ''))
      return { status: 400, body: { error: 'invalid_grant' } }
    tokens.add('token-1')
    return { body: { access_token: 'token-1', token_type: 'Bearer', expires_in: 3600 } }
  }

  function mcp(request: IncomingMessage, text: string): Answer {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    if (!tokens.has(token)) {
      const metadata = `${origin}/.well-known/oauth-protected-resource`
      return {
        status: 401,
        headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` },
      }
    }
    if (request.method !== 'POST') return { status: 405 }
    const { id, method } = JSON.parse(text)
    if (id === undefined) return { status: 202 }
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'protected', version: '1' },
      },
      'tools/list': { tools: [{ name: 'secret', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'the secret' }] },
    }
    const result = results[method]
    return result === undefined
      ? { status: 404, body: { jsonrpc: '2.0', id, error: { code: -32601, message: method } } }
      : { body: { jsonrpc: '2.0', id, result } }
  }

  return { url: `${origin}/mcp`, http, tokens }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

it('tells where to sign in, and works once somebody has', async () => {
  const server = await startProtectedServer()
  onTestFinished(() => {
    server.http.close()
    server.http.closeAllConnections()
  })
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { vault: { url: server.url } } })
  const gateway = await startGateway(folder)
  const call = async () => execute(gateway.url, { server: 'vault', tool: 'secret' })

  const refused = await call()
  expect(refused.isError).toBe(true)
  const address = /open (http\S+) and/.exec(refused.content[0]?.text ?? '')?.[1]
  expect(address).toMatch(/\/authorize\?/)

  const page = await fetch(address ?? '')
  expect(await page.text()).toContain('Signed in')
  await expect.poll(async () => (await call()).content[0]?.text).toBe('the secret')

  const kept = await readdir(folder.file('data/oauth'))
  expect(kept).toHaveLength(1)
  expect(statSync(folder.file(`data/oauth/${kept[0]}`)).mode & 0o777).toBe(0o600)
})

interface ToolResult {
  readonly isError?: boolean
  readonly content: { readonly text: string }[]
}

async function execute(url: string, args: object): Promise<ToolResult> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'execute_tool',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'execute_tool',
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  const { result }: { result: ToolResult } = JSON.parse(await response.text())
  return result
}
