import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { expect, it } from 'vitest'
import { call } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { freePort } from '../support/free-port.ts'
import { startGateway } from '../support/gateway.ts'
import { OAuthClient } from '../support/sign-in/oauth-client.ts'
import { withKey } from '../support/sign-in/signing-client.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'

const ECHO = {
  name: 'execute_tool',
  arguments: { server: 'files', tool: 'echo', args: { text: 'ahoy' } },
}

/** How long an access token is valid in these tests; a refreshed one has another text. */
const TOKEN_MS = 3_000

/** A client that has signed in, as the official one of 2025 wants to be told about it. */
async function signedIn(origin: string, key: string, path = '/mcp') {
  const oauth = await new OAuthClient(origin).register()
  const resource = `${origin}${path}`
  const code = await oauth.code(withKey(key), { resource })
  const { body } = await oauth.redeem(code, { resource })
  const held = { ...body, token_type: 'Bearer' }
  const tokens: (typeof held)[] = [held]
  return {
    tokens,
    provider: {
      redirectUrl: 'http://127.0.0.1:9/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'] },
      clientInformation: () => ({ client_id: oauth.clientId }),
      tokens: () => tokens.at(-1),
      saveTokens: (next: { access_token: string; refresh_token?: string; token_type: string }) =>
        void tokens.push({ ...held, ...next }),
      redirectToAuthorization: () => {
        throw new Error('The client asks its person to sign in again')
      },
      saveCodeVerifier: () => undefined,
      codeVerifier: () => '',
    },
  }
}

async function connect(transport: Transport): Promise<() => Promise<string>> {
  const client = new Client({ name: 'patient', version: '1' })
  await client.connect(transport)
  return async () => JSON.stringify(await client.callTool(ECHO))
}

const expired = async () => new Promise((resolve) => setTimeout(resolve, TOKEN_MS + 500))

it('the official client goes on in its session with a refreshed token, also after a kill', async () => {
  const port = String(await freePort())
  const settings = { auth: { server: { enabled: true, accessTokenMs: TOKEN_MS } } }
  const gateway = await startWithSignIn(settings, { args: ['--port', port] })
  const { provider, tokens } = await signedIn(gateway.url, gateway.key)
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
    authProvider: provider,
  })
  const echo = await connect(transport)
  const { sessionId } = transport
  expect(await echo()).toContain('ahoy')
  await expired()
  expect(await echo()).toContain('ahoy')
  expect(tokens.length).toBeGreaterThan(1)

  gateway.child.kill('SIGKILL')
  await once(gateway.child, 'exit')
  await expired()
  await startGateway(gateway.folder, ['--port', port])
  expect(await echo()).toContain('ahoy')
  expect(transport.sessionId).toBe(sessionId)

  await gateway.keys.revoke(gateway.keyId)
  await expect(echo(), 'with the key, its sign-in has ended').rejects.toThrow(
    /grant request is invalid/,
  )
})

it('the stream of a client of 2024 goes on with a refreshed token', async () => {
  const settings = { auth: { server: { enabled: true, accessTokenMs: TOKEN_MS } } }
  const gateway = await startWithSignIn(settings)
  const { provider, tokens } = await signedIn(gateway.url, gateway.key, '/sse')
  const echo = await connect(
    new SSEClientTransport(new URL(`${gateway.url}/sse`), { authProvider: provider }),
  )
  expect(await echo()).toContain('ahoy')
  await expired()
  expect(await echo()).toContain('ahoy')
  expect(tokens.length).toBeGreaterThan(1)
})

it('a call that waits for its client goes on with a refreshed token, and with no other sign-in', async () => {
  const gateway = await startWithSignIn()
  const client = await new OAuthClient(gateway.url).register()
  const signIn = async (by: OAuthClient) =>
    (await by.redeem(await by.code(withKey(gateway.key)))).body
  const ask = async (token: string, params: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const one = await openHttp('modern', `${gateway.url}/mcp?surface=direct`, headers)
    return JSON.parse(await one.text('tools/call', { name: 'ask_elicitation', ...params }))
  }
  const held = await signIn(client)
  const { result } = await ask(held.access_token, { arguments: {} })
  expect(result.resultType).toBe('input_required')
  const answer = { action: 'accept', content: { name: 'Ada' } }
  const inputResponses = Object.fromEntries(
    Object.keys(result.inputRequests).map((key) => [key, answer]),
  )
  const back = { arguments: {}, requestState: result.requestState, inputResponses }

  const another = await signIn(await new OAuthClient(gateway.url).register())
  const refused = await ask(another.access_token, back)
  expect(refused.error.message).toContain('requestState is unknown')
  const { body: refreshed } = await client.refresh(held.refresh_token)
  expect(refreshed.access_token).not.toBe(held.access_token)
  const finished = await ask(refreshed.access_token, back)
  expect(finished.result).toMatchObject({ resultType: 'complete' })
  expect(JSON.stringify(finished.result)).toContain('Ada')
})

it('a sub-agent uses the session of the credential that it is sent with, and not with its own', async () => {
  const gateway = await startWithSignIn()
  const ada = { authorization: `Bearer ${gateway.key}` }
  const client = await openHttp('legacy', `${gateway.url}/mcp`, ada)
  const minted = JSON.stringify(await call(client, 'mint_handle', { name: 'helper' }))
  const handle = /pth_[\w.-]+/.exec(minted)?.[0] ?? ''
  const status = async (headers: Record<string, string>) => {
    const response = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': client.sessionId ?? '',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    return response.status
  }
  expect(await status({ ...ada, 'x-agent-id': handle })).toBe(200)
  expect(await status({ authorization: `Bearer ${handle}` })).toBe(404)
  await client.close()
})
