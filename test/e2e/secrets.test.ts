import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { withTasks } from '../support/clients/extensions.ts'
import { call, execute, refusal, structured, textOf } from '../support/clients/talk.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { type SeenRequest, sendJson, serveHttp } from '../support/http-server.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const TOOLS = ['echo', 'break', 'refuse', 'deny'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
}))

/** A server that repeats the headers it was sent, in results and in every kind of failure. */
async function startGossip(isDown = false): Promise<string> {
  const server = await serveHttp(async (request, response) => {
    // The configured ones first: only the start of an error page is shown.
    const headers = JSON.stringify(Object.fromEntries(Object.entries(request.headers).toReversed()))
    if (isDown) return sendJson(response, { headers }, 500)
    if (request.method !== 'POST') return sendJson(response, {}, 405)
    const { id, method, params } = JSON.parse(request.body)
    if (id === undefined) return sendJson(response, {}, 202)
    if (method === 'server/discover') return sendJson(response, failure(id, -32_601, method))
    await sleep(Number(params.arguments?.ms ?? 0))
    if (params.name === 'break') return sendJson(response, { headers }, 500)
    if (params.name === 'refuse') return sendJson(response, { headers }, 403)
    if (params.name === 'deny')
      return sendJson(response, failure(id, -32_000, headers, { headers }))
    return sendJson(response, { jsonrpc: '2.0', id, result: results(method, request) })
  })
  onTestFinished(async () => server[Symbol.asyncDispose]())
  return `${server.url}/mcp`
}

function results(method: string, { headers }: SeenRequest) {
  if (method === 'tools/list') return { tools: TOOLS }
  if (method === 'tools/call') return { content: [{ type: 'text', text: headers['x-odd'] }] }
  return {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'gossip', version: '1' },
  }
}

function failure(id: unknown, code: number, message: string, data?: unknown) {
  return { jsonrpc: '2.0', id, error: { code, message, data } }
}

/** Whatever an agent can get to read about failures. */
async function told(gateway: Opened, servers: readonly string[]): Promise<string> {
  const direct = await gateway.connect()
  const discover = await gateway.connect({ query: '' })
  const answers: unknown[] = []
  for (const server of servers)
    for (const tool of ['break', 'refuse', 'deny']) {
      answers.push(await execute(discover, server, tool))
      answers.push(
        await call(direct, `${server}__${tool}`).catch(async (error: unknown) =>
          refusal(Promise.reject(error)),
        ),
      )
    }
  for (const name of ['list_servers', 'get_gateway_status'])
    answers.push(await call(discover, name, { include_metadata: true }))
  return JSON.stringify(answers)
}

it('keeps what a server was sent out of its failures, and leaves its results alone', async () => {
  const [url, down] = [await startGossip(), await startGossip(true)]
  const headers = { 'X-Odd': 'correct-horse-battery', Authorization: 'Bearer ${GOSSIP_TOKEN}' }
  const servers = {
    gossip: { url, headers },
    down: { url: down, headers },
    other: { url, headers: { 'X-Odd': 'another-horse-here' } },
    missing: { command: '/nowhere/${MY_DB_PASSWORD}/run' },
  }
  const env = { MY_DB_PASSWORD: 'lake-and-river', GOSSIP_TOKEN: 'HDRSECRETWORD' }
  const gateway = await openGateway({ servers, env })
  const secrets = /correct-horse|another-horse|lake-and-river|HDRSECRET/

  const answers = await told(gateway, ['gossip', 'other', 'down', 'missing'])
  expect(answers).toContain('[redacted]')
  expect(answers).toContain('it answered HTTP 500')
  expect(answers).toContain('it answered HTTP 403')
  expect(answers).toContain('ENOENT')
  expect(answers).not.toMatch(secrets)
  const client = await gateway.connect()
  expect(textOf(await call(client, 'gossip__echo'))).toBe('correct-horse-battery')
  expect(textOf(await call(client, 'other__echo'))).toBe('another-horse-here')

  // A reload makes other values secret; the ones before stay so.
  gateway.folder.write('.mcp.json', {
    mcpServers: { ...servers, gossip: { url, headers: { 'X-Odd': 'third-horse-there' } } },
  })
  await expect
    .poll(async () => textOf(await call(client, 'gossip__echo')))
    .toBe('third-horse-there')
  expect(await told(gateway, ['gossip', 'down'])).not.toMatch(/third-horse|correct-horse/)

  await gateway.close()
  expect(gateway.folder.read('data/audit.jsonl')).toContain('it answered HTTP 500')
  expect(gateway.folder.read('data/audit.jsonl')).not.toMatch(secrets)
  const doctor = await runCli(gateway.folder, ['doctor'], env)
  expect(doctor.stdout).toContain('ENOENT')
  expect(doctor.stdout).not.toMatch(secrets)
})

const FAILURES = ['break', 'refuse', 'deny']

it('keeps what a server was sent out of a script that catches its failures', async () => {
  const url = await startGossip()
  const gateway = await openGateway({
    servers: { gossip: { url, headers: { 'X-Odd': 'correct-horse-battery' } } },
    rules: { agents: { default: { allow: { servers: ['*'], scripts: true } } } },
  })
  const client = await gateway.connect({
    query: 'surface=scripts',
    headers: { 'x-agent-id': 'default' },
  })
  const failures = FAILURES.map(
    (tool) =>
      `await tools.gossip.${tool}({}).catch((error) => [error.message, { ...error }, \`\${error.stack}\`])`,
  )
  const code = `const seen = [${failures.join(', ')}]
    console.log(JSON.stringify(seen))
    return seen`
  const caught = JSON.stringify(await call(client, 'run_script', { code }))
  expect(caught).toContain('it answered HTTP 500')
  expect(caught).toContain('[redacted]')
  expect(caught).not.toContain('correct-horse')
  const thrown = await call(client, 'run_script', { code: 'await tools.gossip.deny({})' })
  expect(JSON.stringify(thrown)).toContain('[redacted]')
  expect(JSON.stringify(thrown)).not.toContain('correct-horse')
})

it('keeps what a server was sent out of a task that fails', async () => {
  const url = await startGossip()
  const gateway = await openGateway({
    servers: { gossip: { url, headers: { 'X-Odd': 'correct-horse-battery' } } },
    settings: { tasks: { offerAfterMs: 100 } },
  })
  const client = withTasks(await gateway.connect({ era: 'modern' }))
  await expect
    .poll(async () => textOf(await call(client, 'gossip__echo')))
    .toBe('correct-horse-battery')
  for (const tool of FAILURES) {
    const { taskId } = await call(client, `gossip__${tool}`, { ms: 1_000 })
    expect(taskId).toBeTypeOf('string')
    let task: unknown
    const status = async () => {
      task = await client.request('tasks/get', { taskId })
      return Object(task).status
    }
    await expect.poll(status).not.toBe('working')
    expect(JSON.stringify(task)).toContain('[redacted]')
    expect(JSON.stringify(task)).not.toContain('correct-horse')
  }
})

it('shows no token of a sign-in', async () => {
  const url = await startGossip()
  const folder = tempFolder()
  const { recordNames } = await import('../../src/identity/sign-ins/stored.ts')
  const { openVault } = await import('../../src/identity/vault/open-vault.ts')
  const tokens = {
    access_token: 'signed-in-as-ada',
    token_type: 'Bearer',
    refresh_token: 'again-and-again',
  }
  const vault = openVault(folder.file('data'), { PORTOLAN_KEYRING: 'off' })
  await vault
    .record<object>(recordNames.signIn({ name: 'gossip', url }, 'local'))
    .update({ tokens })
  const gateway = await openGateway({ servers: { gossip: { url } }, folder })
  const answers = await told(gateway, ['gossip'])
  expect(answers).toContain('[redacted]')
  expect(answers).not.toContain('signed-in-as-ada')
})

it('hides on the dashboard from the first answer on, whatever the passwords look like', async () => {
  const down = await startGossip(true)
  const odd = down.replace('://', '://user:p%zz-word@')
  const headers = { 'X-Odd': 'correct-horse-battery' }
  const gateway = await openGateway({
    servers: { down: { url: down, headers }, odd: { url: odd }, fine: stdioUpstream() },
    env: { PROXY: 'http://me:100%-secret@proxy:8080/' },
  })
  await told(gateway, ['down', 'odd'])
  const ask = dashboardOf(gateway.url)
  for (const _ of [1, 2]) {
    const { status, text } = await ask('GET /servers')
    expect(status).toBe(200)
    expect(text).toContain('[redacted]')
    expect(text).toContain('fine')
    expect(text).not.toMatch(/correct-horse|p%zz|100%-secret/)
  }
})

async function keyFor({ folder }: Opened, agent: string): Promise<string> {
  const store = createFileKeyStore(identityFiles(folder.file('data')).keys)
  return (await store.create(agent)).secret
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })

it('opens with a handle for tools nothing but those tools', async () => {
  const gateway = await openGateway({ servers: { a: stdioUpstream(), b: stdioUpstream() } })
  const parent = await gateway.connect({
    headers: { authorization: `Bearer ${await keyFor(gateway, 'bob')}` },
  })
  const mint = async (wish: object) => {
    const { handle } = structured(await call(parent, 'mint_handle', { name: 'kid', ...wish }))
    return gateway.connect({ headers: { authorization: `Bearer ${String(handle)}` } })
  }
  const said = { text: 'hello' }
  const kid = await mint({ tools: { a: ['echo'] } })
  expect(textOf(await call(kid, 'a__echo', said))).toBe('hello')
  for (const name of ['b__echo', 'b__whoami', 'a__whoami'])
    expect(structured(await call(kid, name, said))['error']).toMatchObject({
      code: 'DENIED_BY_POLICY',
    })
  const both = await mint({ servers: ['b'], tools: { a: ['echo'] } })
  for (const name of ['a__echo', 'b__echo'])
    expect(textOf(await call(both, name, said))).toBe('hello')
})

it('shows metrics to nobody whose credential is bad or cannot be checked', async () => {
  const gateway = await openGateway({
    servers: { a: stdioUpstream() },
    settings: {
      auth: { required: true, jwt: { jwksUrl: 'http://127.0.0.1:9/jwks', audience: 'portolan' } },
    },
  })
  const jwt = `${part({ alg: 'RS256', kid: 'x' })}.${part({ sub: 'eve', aud: 'portolan' })}.c2ln`
  const metrics = async (headers: Record<string, string>) =>
    fetch(`${gateway.url}/metrics`, { headers })
  const anonymous = await metrics({})
  expect(anonymous.status).toBe(401)
  expect(anonymous.headers.get('www-authenticate')).toContain('Bearer')
  expect(await anonymous.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } })
  expect((await metrics(bearer('nonsense'))).status).toBe(401)
  const unchecked = await metrics(bearer(jwt))
  expect(unchecked.status).toBe(503)
  expect(await unchecked.text()).not.toContain('portolan_')
  const known = await metrics(bearer(await keyFor(gateway, 'ada')))
  expect(known.status).toBe(200)
  expect(await known.text()).toContain('portolan_')
})

it('takes no key or token for the name of an agent', async () => {
  const gateway = await openGateway({ servers: { a: stdioUpstream() } })
  const key = await keyFor(gateway, 'ada')
  const refused = await refusal(gateway.connect({ headers: { 'x-agent-id': key } }))
  expect(refused.message).toContain('send that as Authorization: Bearer')
  const client = await gateway.connect()
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r'
  for (const agent_id of [key, jwt, 'ptk_short', 'pth_forged.x'])
    expect(structured(await call(client, 'list_servers', { agent_id }))['error']).toMatchObject({
      code: expect.stringMatching(/INVALID_AGENT_ID|UNAUTHENTICATED/),
    })
  expect(structured(await call(client, 'list_servers', { agent_id: 'ptkeeper' }))).toHaveProperty(
    'result',
  )
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  await gateway.close()
  for (const text of [metrics, gateway.log(), gateway.folder.read('data/audit.jsonl')])
    expect(text).not.toMatch(/ptk_|eyJ|pth_/)
})

it('refuses to start with a damaged secret of handles, and says what to do', async () => {
  const folder = tempFolder()
  folder.write('data/handle-secret', '')
  const starting = openGateway({ servers: { a: stdioUpstream() }, folder })
  await expect(starting).rejects.toThrow(/handle-secret holds 0 bytes instead of 32.*delete it/s)
})
