import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { MAIN, gatewayEnv, startGateway } from '../support/gateway.ts'
import { execute as executeIn, textOf } from '../support/clients/talk.ts'
import { openStdio } from '../support/clients/wires.ts'
import { LittleBrowser } from '../support/little-browser.ts'
import { runBuilt } from '../support/run-built.ts'
import { tempFolder } from '../support/temp-folder.ts'

interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

// A server that wants a sign-in, and the authorization server it names, as small as the protocol allows.
async function startProtectedServer(): Promise<{ url: string; http: Server; redeemed: string[] }> {
  const redeemed: string[] = []
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
          authorization_response_iss_parameter_supported: true,
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
    redeemed.push(form.get('code') ?? '')
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

  return { url: `${origin}/mcp`, http, redeemed }
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
  expect(address).toBe(`${gateway.url}/connect/start/vault`)
  expect(await statusOf(gateway.url)).toMatchObject([{ server: 'vault', open: address }])

  const browser = new LittleBrowser()
  const page = await browser.open(address ?? '')
  expect(await page.text()).toContain('Signed in to vault')
  expect(browser.visited.map((url) => new URL(url).pathname)).toEqual([
    '/connect/start/vault',
    '/authorize',
    '/connect/callback',
  ])
  expect(await statusOf(gateway.url)).toEqual([])
  // A server that was refused before is asked again after a moment.
  const poll = { timeout: 20_000, interval: 200 }
  await expect.poll(async () => (await call()).content[0]?.text, poll).toBe('the secret')

  const kept = await readdir(folder.file('data/vault'))
  const [own] = kept.filter((file) => file.startsWith('sign-in.'))
  expect(statSync(folder.file(`data/vault/${own}`)).mode & 0o777).toBe(0o600)
  for (const file of kept) expect(folder.read(`data/vault/${file}`)).not.toContain('token-1')
})

it('signs in from the command line, and stays until the browser has come back', async () => {
  const server = await startProtectedServer()
  onTestFinished(() => {
    server.http.close()
    server.http.closeAllConnections()
  })
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { vault: { url: server.url }, local: { command: 'x' } } })
  const child = spawn(process.execPath, [MAIN, 'server', 'login', 'vault'], {
    cwd: folder.path,
    env: gatewayEnv(folder),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let said = ''
  child.stdout.on('data', (data) => (said += String(data)))
  await expect.poll(() => said, { timeout: 30_000 }).toMatch(/http\S+\/authorize\?\S+/)
  expect(child.exitCode).toBeNull()
  await fetch(/http\S+\/authorize\?\S+/.exec(said)?.[0] ?? '')
  expect((await ended)[0]).toBe(0)
  expect(said).toContain('✓ Signed in to vault')
  const tested = await runBuilt(folder, ['server', 'test', 'vault'])
  expect(tested.stdout).toMatch(/✓ servers {3}vault: 1 tool,/)
  const local = await runBuilt(folder, ['server', 'login', 'local'])
  expect(local.stderr).toContain("'local' is not a remote server")
})

/** Sends exactly these bytes and gives back what comes, as any program on the machine can. */
async function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (data) => (answer += String(data)))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

it('waits for the answer to its own question, whatever else comes meanwhile', async () => {
  const { gateway, server, call } = await startWithVault()
  const browser = new LittleBrowser()
  const address = await browser.step(`${gateway.url}/connect/start/vault`)
  const back = new URL(address.searchParams.get('redirect_uri') ?? '')
  expect(back.href).toBe(`${gateway.url}/connect/callback`)
  const state = address.searchParams.get('state') ?? ''
  expect(state.length).toBeGreaterThanOrEqual(32)
  const get = async (target: string, host = back.host) =>
    raw(Number(back.port), `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  const stolen = `/connect/callback?code=STOLEN&state=${state}`
  expect(await get(stolen, 'evil.example')).toMatch(/ 403 /)
  // The right question, but another browser.
  expect(await get(stolen)).toMatch(/ 403 /)
  for (const query of ['', 'code=STOLEN', 'code=STOLEN&state=x', 'error=access_denied&state=x'])
    expect(await get(`/connect/callback?${query}`)).toMatch(/ 400 /)
  const denied = await browser.open(`${back.href}?error=access_denied&state=${state}`)
  expect(denied.status).toBe(400)
  expect(await denied.text()).toContain('was not completed')
  expect(await call()).toMatchObject({ isError: true })
  expect(server.redeemed).toEqual([])

  const answer = await browser.step(address)
  expect(await (await browser.open(answer)).text()).toContain('Signed in')
  expect(await (await browser.open(answer)).text()).toContain('Not signed in')
  await expect.poll(async () => (await call()).content[0]?.text, POLL).toBe('the secret')
  expect(server.redeemed).toEqual(['code-1'])
})

it('believes no answer that names another authorization server', async () => {
  const { gateway, server, call } = await startWithVault()
  const browser = new LittleBrowser()
  const back = await browser.step(await browser.step(`${gateway.url}/connect/start/vault`))
  back.searchParams.set('iss', 'https://evil.example')
  const page = await browser.open(back)
  expect(page.status).toBe(400)
  const text = await page.text()
  expect(text).toContain('came from another authorization server')
  expect(text).not.toContain('evil.example')
  expect(server.redeemed).toEqual([])
  expect(await call()).toMatchObject({ isError: true })
})

it('on stdio the browser comes back to a page of its own', async () => {
  const server = await startProtectedServer()
  onTestFinished(() => {
    server.http.close()
    server.http.closeAllConnections()
  })
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { vault: { url: server.url } } })
  const client = await openStdio('legacy', {
    command: process.execPath,
    args: [MAIN],
    cwd: folder.path,
    env: gatewayEnv(folder),
  })
  onTestFinished(async () => client.close())
  const call = async () => textOf(await executeIn(client, 'vault', 'secret'))
  const address = /open (http\S+) and/.exec(await call())?.[1] ?? ''
  expect(address).toMatch(/\/authorize\?/)
  const back = new URL(new URL(address).searchParams.get('redirect_uri') ?? '')
  for (const target of ['//', 'http://[', '*', '/callback?%', '/\\', '//callback?state=x'])
    expect({
      target,
      answer: await raw(
        Number(back.port),
        `GET ${target} HTTP/1.1\r\nHost: ${back.host}\r\nConnection: close\r\n\r\n`,
      ),
    }).toMatchObject({ target, answer: expect.stringMatching(/^HTTP\/1\.1 4\d\d /) })
  expect(await (await new LittleBrowser().open(address)).text()).toContain('Signed in')
  await expect.poll(call, POLL).toBe('the secret')
})

const POLL = { timeout: 20_000, interval: 200 }

async function startWithVault() {
  const server = await startProtectedServer()
  onTestFinished(() => {
    server.http.close()
    server.http.closeAllConnections()
  })
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { vault: { url: server.url } } })
  const gateway = await startGateway(folder)
  const call = async () => execute(gateway.url, { server: 'vault', tool: 'secret' })
  return { gateway, server, call }
}

/** What get_gateway_status says of sign-ins. */
async function statusOf(url: string): Promise<unknown> {
  const { content } = await execute(url, {}, 'get_gateway_status')
  const { sign_in_needed: needed = [] }: { sign_in_needed?: unknown } = JSON.parse(
    content[0]?.text ?? '{}',
  )
  return needed
}

interface ToolResult {
  readonly isError?: boolean
  readonly content: { readonly text: string }[]
}

async function execute(url: string, args: object, name = 'execute_tool'): Promise<ToolResult> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
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
