import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { call, textOf } from '../support/clients/talk.ts'
import { openStdio, openWebSocket } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function open(settings: JsonObject = {}): Promise<Opened> {
  return openGateway({ servers: { one: stdioUpstream() }, settings })
}

async function post(gateway: Opened, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** `fetch` does not let one choose the Host header. */
async function statusFor(gateway: Opened, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request(`${gateway.url}/health`, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asking.once('error', reject).end()
  })
}

describe('over HTTP', () => {
  it('what is no JSON-RPC gets an error that says so, and harms nobody', async () => {
    const gateway = await open()
    expect(await post(gateway, '{"jsonrpc": "2.0", "id": 1,')).toMatchObject({
      status: 400,
      body: { id: null, error: { code: -32_700 } },
    })
    const bodies = ['[]', '7', 'null', '"x"', '{}', '{"jsonrpc":"2.0","id":1}', '[1,2]']
    const badIds = [null, {}, true].map((id) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }),
    )
    for (const body of [...bodies, ...badIds])
      expect([body, await post(gateway, body)]).toMatchObject([
        body,
        { status: 400, body: { error: { code: -32_600 } } },
      ])
    const client = await gateway.connect()
    expect(textOf(await call(client, 'echo', { text: 'well' }))).toBe('well')
  })

  it('a request with parts of the wrong type is refused as invalid', async () => {
    const client = await (await open()).connect()
    for (const [method, params] of [
      ['tools/call', [1]],
      ['tools/call', { name: 7 }],
      ['tools/call', {}],
      ['prompts/get', { name: null }],
      ['resources/read', { uri: [] }],
      ['completion/complete', { ref: 'x' }],
      ['logging/setLevel', { level: 'loud' }],
      ['resources/subscribe', {}],
    ] as const) {
      const answer: unknown = JSON.parse(await client.text(method, Object(params)))
      expect([method, params, answer]).toMatchObject([method, params, { error: { code: -32_602 } }])
    }
  })

  it('a modern request must carry what its era asks for', async () => {
    const gateway = await open()
    const ask = async (params: JsonObject, headers: Record<string, string>) =>
      post(
        gateway,
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }),
        headers,
      )
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    expect(await ask({ _meta: META }, headers)).toMatchObject({ status: 200 })
    const mismatch = { ...headers, 'mcp-method': 'tools/call' }
    expect(await ask({ _meta: META }, mismatch)).toMatchObject({
      status: 400,
      body: { error: { code: -32_020 } },
    })
    expect(await ask({}, headers)).toMatchObject({
      status: 400,
      body: { error: { code: -32_602 } },
    })
    for (const part of [{ id: null }, { id: [] }, { jsonrpc: '1.0' }]) {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } }
      expect(await post(gateway, JSON.stringify({ ...message, ...part }), headers)).toMatchObject({
        status: 400,
        body: { error: { code: -32_600 } },
      })
    }
    const future = { ...META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    const later = { ...headers, 'mcp-protocol-version': '2099-01-01' }
    expect(await ask({ _meta: future }, later)).toMatchObject({
      status: 400,
      body: { error: { code: -32_022 } },
    })
  })

  it('a path that is read as another host leads nowhere', async () => {
    const { url } = await open()
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const statusOf = async (path: string) => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch(`${url}${path}`, { method: 'POST', headers, body: ping })).status
    }
    const paths = ['//', '//evil.example/mcp', '//[', '/mcp/']
    expect(await Promise.all(paths.map(statusOf))).toEqual([404, 404, 404, 400])
  })

  it('every request of a session must be of a version that we speak', async () => {
    const gateway = await open()
    const { sessionId = '' } = await gateway.connect({ deaf: true })
    const statusOf = async (method: string, version: string) => {
      const left = new AbortController()
      const answer = await fetch(`${gateway.url}/mcp`, {
        method,
        signal: left.signal,
        headers: {
          accept: 'text/event-stream',
          'mcp-session-id': sessionId,
          'mcp-protocol-version': version,
        },
      })
      left.abort()
      return answer.status
    }
    expect(await statusOf('GET', '1999-01-01')).toBe(400)
    expect(await statusOf('DELETE', '1999-01-01')).toBe(400)
    expect(await statusOf('GET', '2025-06-18')).toBe(200)
    expect(await statusOf('DELETE', '2025-06-18')).toBe(200)
  })

  it('a body over the limit is refused with 413, one below it is not', async () => {
    const gateway = await open({ listen: { maxBodyBytes: 100_000 } })
    const client = await gateway.connect()
    const text = 'x'.repeat(90_000)
    expect(textOf(await call(client, 'echo', { text }))).toHaveLength(90_000)
    const huge = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
      params: { text: 'x'.repeat(200_000) },
    })
    expect(await post(gateway, huge)).toMatchObject({
      status: 413,
      body: { error: { message: expect.stringContaining('100000') } },
    })
    expect(textOf(await call(client, 'echo', { text: 'well' }))).toBe('well')
  })

  it('takes an argument of 5 MB without being told to', async () => {
    const client = await (await open()).connect()
    const text = 'y'.repeat(5_000_000)
    expect(textOf(await call(client, 'echo', { text }))).toBe(text)
  })

  it('a request for another host, or from a foreign page, is turned away', async () => {
    const gateway = await open({ listen: { allowedOrigins: ['https://app.example'] } })
    const { host } = new URL(gateway.url)
    expect(await statusFor(gateway, { host })).toBe(200)
    expect(await statusFor(gateway, { host: 'evil.example' })).toBe(403)
    expect(await statusFor(gateway, { host, origin: 'https://evil.example' })).toBe(403)
    expect(await statusFor(gateway, { host, origin: 'https://app.example' })).toBe(200)
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`, {
      origin: 'https://evil.example',
    })
    const refused = await new Promise<Error>((resolve) => socket.once('error', resolve))
    expect(refused.message).toContain('403')
  })

  it('a session is of no use to another key', async () => {
    const gateway = await open({ auth: { required: true } })
    const store = createFileKeyStore(identityFiles(gateway.folder.file('data')).keys)
    const [mine, yours] = [(await store.create('me')).secret, (await store.create('you')).secret]
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }
    const opened = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': mine },
      body: JSON.stringify(initialize),
    })
    const session = opened.headers.get('mcp-session-id') ?? ''
    const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
    const as = async (key: string) =>
      (await post(gateway, list, { 'x-api-key': key, 'mcp-session-id': session })).status
    expect([await as(mine), await as(yours)]).toEqual([200, 404])
  })

  it('the address of an event stream is of no use without its key', async () => {
    const gateway = await open({ auth: { required: true } })
    const store = createFileKeyStore(identityFiles(gateway.folder.file('data')).keys)
    const headers = { 'x-api-key': (await store.create('me')).secret }
    const leaving = new AbortController()
    const stream = await fetch(`${gateway.url}/sse`, { headers, signal: leaving.signal })
    const { value } = (await stream.body?.getReader().read()) ?? {}
    const address = /data: (\S+)/.exec(Buffer.from(value ?? []).toString())?.[1] ?? ''
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const statusWith = async (given: Record<string, string>) =>
      (await fetch(`${gateway.url}${address}`, { method: 'POST', body, headers: given })).status
    expect([await statusWith(headers), await statusWith({})]).toEqual([202, 401])
    leaving.abort()
  })
})

it('over a WebSocket nonsense is answered and the conversation goes on', async () => {
  const { url } = await open()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, 'mcp')
  await new Promise((resolve) => socket.once('open', resolve))
  const answer = new Promise<string>((resolve) =>
    socket.once('message', (data: Buffer) => resolve(data.toString())),
  )
  socket.send('{nonsense')
  expect(JSON.parse(await answer)).toMatchObject({ id: null, error: { code: -32_700 } })
  socket.close()
  const client = await openWebSocket(`${url.replace('http', 'ws')}/ws?surface=direct`)
  expect(textOf(await call(client, 'echo', { text: 'well' }))).toBe('well')
  await client.close()
})

it('over stdio nonsense and oversized lines are answered and the conversation goes on', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { one: stdioUpstream() } })
  folder.write('portolan.yaml', { listen: { maxBodyBytes: 50_000 } })
  const program = { cwd: folder.path, env: gatewayEnv(folder) }
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'ping' })
  const noId = JSON.stringify({ jsonrpc: '2.0', id: null, method: 'ping' })
  const input = `{nonsense\n${'x'.repeat(60_000)}\n\n${noId}\n${ping}\n`
  const { stdout } = await runProgram(process.execPath, [MAIN], { ...program, input })
  const answers: unknown[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers).toMatchObject([
    { id: null, error: { code: -32_700 } },
    { id: null, error: { code: -32_600 } },
    { id: null, error: { code: -32_600 } },
    { id: 9, result: {} },
  ])
  const args = [MAIN, '--surface', 'direct']
  const client = await openStdio('legacy', { command: process.execPath, args, ...program })
  const tooLarge = call(client, 'echo', { text: 'x'.repeat(60_000) })
  await expect(tooLarge).rejects.toThrow('over the limit of 50000 bytes')
  expect(textOf(await call(client, 'echo', { text: 'well' }))).toBe('well')
  await client.close()
})

describe('an address that others can reach', () => {
  it.each([
    ['nobody has a key', {}],
    ['keys are not asked for', { auth: { required: false } }],
  ])('is not listened on when %s', async (_, settings) => {
    const folder = tempFolder()
    folder.write('portolan.yaml', settings)
    const { code, stderr } = await runProgram(
      process.execPath,
      [MAIN, 'serve', '--host', '0.0.0.0', '--port', '0'],
      { cwd: folder.path, env: gatewayEnv(folder) },
    )
    expect(code).toBe(1)
    expect(stderr).toContain('ERROR: Refusing to listen on 0.0.0.0')
    expect(stderr).toContain('portolan keys create')
  })
})

it('a bad file at the start says where, what and what was meant', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { one: { command: 'x', args: 'y' } } })
  folder.write('portolan.yaml', 'lisen:\n  port: 1\n')
  const { code, stderr } = await runProgram(process.execPath, [MAIN, 'serve'], {
    cwd: folder.path,
    env: gatewayEnv(folder),
  })
  expect(code).toBe(1)
  expect(stderr).toContain('Server "one": "args" must be an array')
  expect(stderr).toContain(folder.file('portolan.yaml'))
  expect(stderr).toMatch(/[Dd]id you mean .*listen/)
})
