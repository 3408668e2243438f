import { createServer, request as httpRequest } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createUsers } from '../../src/identity/incoming/accounts/users.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { freePort } from '../support/free-port.ts'
import { startGateway } from '../support/gateway.ts'
import { aDocument, startDocumentServer } from '../support/sign-in/metadata-document.ts'
import { OAuthClient, useToken } from '../support/sign-in/oauth-client.ts'
import { type Person, SigningClient, withKey } from '../support/sign-in/signing-client.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ECHO = {
  name: 'execute_tool',
  arguments: { server: 'files', tool: 'echo', args: { text: 'ahoy' } },
}

/** A tool whose name says that it changes something. */
const CHANGE = {
  name: 'execute_tool',
  arguments: { server: 'files', tool: 'add_tool', args: { name: 'more' } },
}

it.each(['legacy', 'modern'] as const)(
  'takes a %s client from the bare address to its first call',
  async (era) => {
    const gateway = await startWithSignIn()
    const person = new SigningClient(`${gateway.url}/mcp`, withKey(gateway.key))
    const client = await person.connect(era)
    expect(JSON.stringify(await client.callTool(ECHO))).toContain('ahoy')
    const minted = await client.callTool({ name: 'mint_handle', arguments: { name: 'helper' } })
    expect(JSON.stringify(minted)).toContain('pth_')
    expect(person.signIns).toBe(1)
    expect(person.held?.refresh_token).toMatch(/^ptr_/)
    await client.close()
    await expect
      .poll(() => gateway.folder.read('data/audit.jsonl'))
      .toMatch(/"agent_id":"ada".*"client":"Harbour Editor".*"tool":"echo"/)
  },
)

it('asks for more where the person has agreed to less than a tool does', async () => {
  const gateway = await startWithSignIn()
  let effects = ['read']
  const person = new SigningClient(`${gateway.url}/mcp`, async (browser, page) =>
    withKey(gateway.key, effects)(browser, page),
  )
  const client = await person.connect()
  expect(person.held?.scope).toBe('tools:read')
  const refused = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${person.held?.access_token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'execute_tool',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        ...CHANGE,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
        },
      },
    }),
  })
  expect(refused.status).toBe(403)
  const challenge = refused.headers.get('www-authenticate') ?? ''
  expect(challenge).toContain('error="insufficient_scope"')
  expect(challenge).toContain('scope="tools:read tools:write"')
  expect(challenge).toContain(
    `resource_metadata="${gateway.url}/.well-known/oauth-protected-resource/mcp"`,
  )
  effects = ['read', 'write']
  expect(JSON.stringify(await client.callTool(ECHO))).toContain('ahoy')
  await expect(client.callTool(CHANGE)).rejects.toThrow(/nauthorized/)
  expect(person.signIns).toBe(2)
  expect(person.answer?.searchParams.get('code')).toMatch(/^ptc_/)
})

describe('metadata', () => {
  it('shows the way from the endpoint to the sign-in', async () => {
    const gateway = await startWithSignIn()
    const refused = await useToken(`${gateway.url}/mcp`)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer realm="portolan", resource_metadata="${gateway.url}/.well-known/oauth-protected-resource/mcp", scope="tools:read tools:write tools:delete"`,
    )
    const probed = await fetch(`${gateway.url}/mcp`)
    expect(probed.status, 'some clients ask with a GET first').toBe(401)
    expect(probed.headers.get('www-authenticate')).toBe(refused.headers.get('www-authenticate'))
    const about = async (path: string) => {
      const answer = await fetch(`${gateway.url}/.well-known/oauth-protected-resource${path}`)
      return answer.status === 200 ? answer.json() : answer.status
    }
    expect(await about('/mcp')).toMatchObject({
      resource: `${gateway.url}/mcp`,
      authorization_servers: [gateway.url],
    })
    expect(await about('/sse')).toMatchObject({ resource: `${gateway.url}/sse` })
    expect(await about('/mcp/team')).toMatchObject({ resource: `${gateway.url}/mcp/team` })
    expect(await about('')).toMatchObject({ resource: gateway.url })
    expect(await about('/health')).toBe(404)
  })

  it('is nowhere, and nobody is asked for anything, without configuration on loopback', async () => {
    const folder = tempFolder()
    folder.write('.mcp.json', { mcpServers: { files: stdioUpstream('--name', 'files') } })
    const gateway = await startGateway(folder)
    expect((await useToken(`${gateway.url}/mcp`)).status).toBe(200)
    for (const path of [
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-authorization-server',
      '/oauth/authorize',
      '/oauth/register',
    ]) {
      const answer = await fetch(`${gateway.url}${path}`)
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
    }
  })
})

it('reads the metadata document of a client, and believes only one about itself', async () => {
  const site = await startDocumentServer(tempFolder())
  const gateway = await startWithSignIn(
    { auth: { server: { enabled: true, privateHosts: [site.host] } } },
    { env: { NODE_EXTRA_CA_CERTS: site.certificate } },
  )
  site.documents.set('/good.json', aDocument(site.address('/good.json')))
  site.documents.set('/forged.json', aDocument('https://editor.example/client.json'))
  const client = new OAuthClient(gateway.url)
  client.clientId = site.address('/good.json')
  const page = await client.open()
  expect(page.text).toContain('<strong>Documented Editor</strong> of')
  expect(page.text).toContain(site.host)
  const { status, body } = await client.redeem(await client.code(withKey(gateway.key)))
  expect(status).toBe(200)
  expect((await useToken(`${gateway.url}/mcp`, body.access_token)).status).toBe(200)
  client.clientId = site.address('/forged.json')
  expect(await client.open()).toMatchObject({ status: 400, url: { origin: gateway.url } })
})

it('lets an application on the person’s machine listen at any port, or have a scheme of its own', async () => {
  const site = await startDocumentServer(tempFolder())
  const gateway = await startWithSignIn(
    { auth: { server: { enabled: true, privateHosts: [site.host] } } },
    { env: { NODE_EXTRA_CA_CERTS: site.certificate } },
  )
  // As Claude Code's document is: no port, and no word about its type.
  const id = site.address('/claude-code.json')
  const redirect_uris = ['http://localhost/callback', 'http://127.0.0.1/callback']
  site.documents.set('/claude-code.json', { ...aDocument(id), redirect_uris })
  const client = new OAuthClient(gateway.url)
  client.clientId = id
  const at = async (redirect_uri: string) => (await client.open({ redirect_uri })).status
  expect(await at('http://localhost:51354/callback')).toBe(200)
  expect(await at('http://127.0.0.1:9/callback')).toBe(200)
  expect(await at('http://127.0.0.1:9/elsewhere')).toBe(400)
  expect(await at('http://evil.example:51354/callback')).toBe(400)
  const editor = await new OAuthClient(gateway.url).register({
    redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
  })
  const own = { redirect_uri: 'cursor://anysphere.cursor-mcp/oauth/callback' }
  expect((await editor.open(own)).status).toBe(200)
  const plain = await new OAuthClient(gateway.url).register({
    redirect_uris: ['http://somewhere.example/callback'],
  })
  expect(plain.clientId).toBeUndefined()
})

it('remembers who has signed in when it is started again', async () => {
  const port = String(await freePort())
  const gateway = await startWithSignIn({}, { args: ['--port', port] })
  const client = await new OAuthClient(gateway.url).register()
  const { body } = await client.redeem(await client.code(withKey(gateway.key)))
  await gateway.close()
  const again = await startGateway(gateway.folder, ['--port', port])
  expect((await useToken(`${again.url}/mcp`, body.access_token)).status).toBe(200)
  expect((await client.refresh(body.refresh_token)).status).toBe(200)
})

it('forwards no token of its own to the servers behind it', async () => {
  const upstream = await startHttpUpstream()
  onTestFinished(async () => upstream.close())
  const seen: string[] = []
  const recorder = createServer((request, response) => {
    seen.push(JSON.stringify(request.headers))
    const { method, headers, url = '' } = request
    const onwards = httpRequest(new URL(url, upstream.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    onwards.on('error', () => response.destroy())
    request.pipe(onwards)
  })
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    recorder.close()
    recorder.closeAllConnections()
  })
  const address = recorder.address()
  const port = typeof address === 'object' ? address?.port : 0
  const url = `http://127.0.0.1:${port}${new URL(upstream.url).pathname}`
  const gateway = await startWithSignIn({}, { servers: { files: { url } } })
  const person = new SigningClient(`${gateway.url}/mcp`, withKey(gateway.key))
  const client = await person.connect()
  expect(JSON.stringify(await client.callTool(ECHO))).toContain('ahoy')
  expect(seen.length).toBeGreaterThan(1)
  for (const headers of seen) expect(headers).not.toContain(person.held?.access_token ?? '?')
  await client.close()
})

/** Signs in with a name and a password. */
function withPassword(user: string, password: string): Person {
  return async (browser, first) => {
    const consent = await browser.submit(first, { action: 'password', user, password })
    if (consent.status !== 200) return consent
    return browser.submit(consent, { action: 'allow', effect: ['read', 'write', 'delete'] })
  }
}

const GROUP_RULES = {
  groups: {
    platform: { match: { claim: 'groups', any: ['platform'] }, allow: { servers: ['files'] } },
  },
}

it('lets people of ours in, each with the rights of their groups', async () => {
  const gateway = await startWithSignIn({}, { rules: GROUP_RULES })
  const storage = await openStorage({ home: gateway.folder.file('data') })
  const users = createUsers(storage)
  await users.save({ name: 'eve', groups: ['platform'], role: 'agent' }, 'correct horse')
  await users.save({ name: 'zoe', groups: ['sales'], role: 'agent' }, 'battery staple')
  const url = `${gateway.url}/mcp`
  const eve = await new SigningClient(url, withPassword('eve', 'correct horse')).connect()
  const zoe = await new SigningClient(url, withPassword('zoe', 'battery staple')).connect()
  expect(JSON.stringify(await eve.callTool(ECHO))).toContain('ahoy')
  expect(await zoe.callTool(ECHO)).toMatchObject({ isError: true })
  const wrong = new SigningClient(url, withPassword('eve', 'battery staple'))
  await expect(wrong.connect()).rejects.toThrow(/The name or the password is wrong/)
  await expect
    .poll(() => gateway.folder.read('data/audit.jsonl'))
    .toMatch(/"agent_id":"eve".*"user":"eve","groups":\["platform"\],"client":"Harbour Editor"/)
  await Promise.all([eve.close(), zoe.close(), storage.close()])
})
