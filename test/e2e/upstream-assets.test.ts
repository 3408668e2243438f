import { spawn } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { type Started, startHttpUpstream, stdioUpstream } from '../support/start.ts'

// The servers that other tests put behind the gateway must themselves do what they promise.

const started: Started[] = []
afterEach(async () => {
  for (const upstream of started.splice(0)) await upstream.close()
})

async function http(...flags: string[]): Promise<Started> {
  const upstream = await startHttpUpstream(...flags)
  started.push(upstream)
  return upstream
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}

async function post(
  url: string,
  method: string,
  params: JsonObject,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'mcp-method': method, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

async function callStdio(messages: readonly JsonObject[], until: string): Promise<string> {
  const { command, args } = stdioUpstream()
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  let output = ''
  for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`)
  for await (const chunk of child.stdout) {
    output += String(chunk)
    if (output.includes(until)) break
  }
  child.kill()
  return output
}

const call = (id: number, name: string, args: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: id } },
})

describe('the stdio upstream', () => {
  it('keeps 64-bit integers and trailing zeros on the wire', async () => {
    const output = await callStdio([call(1, 'odd')], 'vendorTop')
    expect(output).toContain('"big":9007199254740993')
    expect(output).toContain('"one":1.0')
  })

  it('stops a call that is cancelled, and says so', async () => {
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 1 } }
    const output = await callStdio(
      [call(1, 'slow', { ms: 10_000 }), { jsonrpc: '2.0', ...cancelled }, call(2, 'whoami')],
      '"id":2',
    )
    expect(output).toContain('"cancelled":[1]')
  })

  it('asks its client and goes on with the answer', async () => {
    const answer = { jsonrpc: '2.0', id: 'ask-1', result: { roots: [{ uri: 'file:///x' }] } }
    expect(await callStdio([call(1, 'ask_roots'), answer], '"id":1')).toContain('file:///x')
  })
})

describe('the HTTP upstream', () => {
  it('serves legacy sessions and forgets them on demand', async () => {
    const { url } = await http('--era', 'legacy')
    const opened = await post(url, 'initialize', INITIALIZE)
    const session = opened.headers.get('mcp-session-id') ?? ''
    const echo = { name: 'echo', arguments: { text: 'hi' } }
    const answer = await post(url, 'tools/call', echo, { 'mcp-session-id': session })
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'hi' }] } })
    await fetch(url.replace('/mcp', '/expire'), { method: 'POST' })
    const gone = await post(url, 'tools/call', echo, { 'mcp-session-id': session })
    expect(gone.status).toBe(404)
  })

  it('serves modern requests without a session, as JSON or as a stream', async () => {
    for (const flags of [[], ['--sse']]) {
      const { url } = await http('--era', 'modern', ...flags)
      const params = { name: 'echo', arguments: { text: 'hi' }, _meta: META }
      const answer = await post(url, 'tools/call', params)
      const type = flags.length > 0 ? 'text/event-stream' : 'application/json'
      expect(answer.headers.get('content-type')).toBe(type)
      expect(await answer.text()).toContain('"text":"hi"')
      expect((await post(url, 'initialize', INITIALIZE)).status).toBe(400)
    }
  })

  it('refuses modern requests when it is of the old era', async () => {
    const { url } = await http('--era', 'legacy')
    expect((await post(url, 'server/discover', { _meta: META })).status).toBe(400)
  })

  it('cuts its answer in the middle', async () => {
    const { url } = await http('--era', 'modern')
    const answer = await post(url, 'tools/call', { name: 'die', _meta: META })
    await expect(answer.text()).rejects.toThrow('terminated')
  })

  it('notices that its client went away', async () => {
    const { url } = await http('--era', 'modern')
    const slow = { name: 'slow', arguments: { ms: 10_000 }, _meta: { ...META, progressToken: 1 } }
    const controller = new AbortController()
    const answer = await fetch(url, {
      method: 'POST',
      signal: controller.signal,
      headers: { 'mcp-method': 'tools/call' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: { ...slow, arguments: { ms: 4_000, steps: 40 } },
      }),
    })
    expect(answer.status).toBe(200)
    controller.abort()
    await expect
      .poll(async () => (await post(url, 'tools/call', { name: 'whoami', _meta: META })).text())
      .toContain('"cancelled":[7]')
  })

  it('asks for a header or a token', async () => {
    const strict = await http('--require-header', 'X-API-Key:k1')
    const discover = { _meta: META }
    expect((await post(strict.url, 'server/discover', discover)).status).toBe(400)
    const key = { 'x-api-key': 'k1' }
    expect((await post(strict.url, 'server/discover', discover, key)).status).toBe(200)
    const guarded = await http('--auth', 't1')
    const refused = await post(guarded.url, 'server/discover', discover)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=')
  })

  it('speaks the transport of 2024', async () => {
    const { url } = await http('--legacy-sse')
    const stream = await fetch(url)
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = (await reader?.read())?.value ?? ''
    const endpoint = /data: (\S+)/.exec(text)?.[1] ?? ''
    const response = await post(new URL(endpoint, url).href, 'initialize', INITIALIZE)
    expect(response.status).toBe(202)
    while (!text.includes('serverInfo')) text += (await reader?.read())?.value ?? ''
    await reader?.cancel()
  })

  it('lists as many tools as asked, in pages', async () => {
    const { url } = await http('--tools', '200', '--page-size', '100')
    const first: unknown = await (await post(url, 'tools/list', { _meta: META })).json()
    const result = isObject(first) && isObject(first['result']) ? first['result'] : {}
    expect(result['tools']).toHaveLength(100)
    expect(result['nextCursor']).toBe('100')
  })
})
