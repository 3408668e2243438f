import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type JsonObject, parseObject } from '../../src/base/json/json.ts'
import { call, execute, structured, textOf, toolNames, valueOf } from '../support/clients/talk.ts'
import { openWebSocket } from '../support/clients/wires.ts'
import { auditOf } from '../support/audit-of.ts'
import { openGateway } from '../support/open-gateway.ts'
import { type Started, startHttpUpstream, stdioUpstream } from '../support/start.ts'
import { sendJson, serveHttp } from '../support/http-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function httpUpstream(...flags: string[]): Promise<Started> {
  const upstream = await startHttpUpstream(...flags)
  onTestFinished(async () => upstream.close())
  return upstream
}

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const begun = performance.now()
  return { value: await work, ms: performance.now() - begun }
}

describe('a server that dies', () => {
  it('in the middle of a call fails that call at once, and the next call finds it again', async () => {
    const { connect } = await openGateway({ servers: { one: stdioUpstream() } })
    const client = await connect()
    const pid = Number(structured(await call(client, 'whoami'))['pid'])
    const hanging = call(client, 'hang')
    await sleep(50)
    process.kill(pid, 'SIGKILL')
    const { value: failed, ms } = await timed(hanging)
    expect(ms).toBeLessThan(10_000)
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'SERVER_UNAVAILABLE', retryable: true } },
    })
    expect(textOf(failed)).toContain('its process was ended by SIGKILL')
    const again = await timed(call(client, 'echo', { text: 'back' }))
    expect(textOf(again.value)).toBe('back')
    expect(again.ms).toBeLessThan(20_000)
  })

  it('again and again is given time, and says when to try next', async () => {
    const { connect } = await openGateway({
      servers: { bad: stdioUpstream('--die-on-start'), good: stdioUpstream() },
    })
    const client = await connect({ query: 'surface=discover' })
    // The pauses double, so that soon a call comes in one of them.
    const failure = async () => {
      const { error } = structured(await execute(client, 'bad', 'echo'))
      expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
      return error
    }
    await expect.poll(failure).toHaveProperty('retry_after_ms')
    expect(textOf(await execute(client, 'good', 'echo', { text: 'fine' }))).toBe('fine')
    const status = valueOf(await call(client, 'get_gateway_status'))
    expect(status['message']).toContain('Down: bad.')
  })

  it('over HTTP fails its call at once, keeps its tools listed, and is found again', async () => {
    const upstream = await httpUpstream('--era', 'legacy')
    const { port } = new URL(upstream.url)
    const { connect } = await openGateway({
      servers: { far: { url: upstream.url }, near: stdioUpstream() },
    })
    const client = await connect()
    const names = await toolNames(client)
    const hanging = call(client, 'far__hang')
    await sleep(50)
    await upstream.close()
    const failed = await timed(hanging)
    expect(failed.ms).toBeLessThan(10_000)
    expect(structured(failed.value)).toMatchObject({ error: { code: 'SERVER_UNAVAILABLE' } })
    expect(structured(await call(client, 'far__echo'))).toMatchObject({
      error: { code: 'SERVER_UNAVAILABLE' },
    })
    expect(await toolNames(client)).toEqual(names)
    await httpUpstream('--era', 'legacy', '--port', port)
    await expect
      .poll(async () => textOf(await call(client, 'far__echo', { text: 'back' })))
      .toBe('back')
  })
})

it('a client that comes long after the start still finds the tools in its first list', async () => {
  const { connect } = await openGateway({ servers: { late: stdioUpstream('--slow-init', '300') } })
  await sleep(2500)
  expect(await toolNames(await connect())).toContain('echo')
})

it('a call that may change something reaches its server once, also when the connection breaks', async () => {
  let calls = 0
  const answers: Record<string, JsonObject> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'bank', version: '1' },
    },
    'tools/list': { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] },
  }
  await using bank = await serveHttp(({ method, body }, response) => {
    const { id, method: asked } = method === 'POST' ? JSON.parse(body) : {}
    if (asked === 'tools/call') {
      calls += 1
      response.destroy()
    } else if (asked in answers) sendJson(response, { jsonrpc: '2.0', id, result: answers[asked] })
    else response.writeHead(405).end()
  })
  const { connect } = await openGateway({ servers: { bank: { url: bank.url } } })
  const client = await connect()
  expect(await toolNames(client)).toEqual(['pay'])
  expect(await call(client, 'pay')).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'SERVER_UNAVAILABLE', retryable: true } },
  })
  expect(calls).toBe(1)
})

describe('a server that hangs', () => {
  it('at its start neither delays nor hides another', async () => {
    const { connect } = await openGateway({
      servers: { stuck: stdioUpstream('--hang-init'), good: stdioUpstream() },
    })
    const client = await connect()
    const first = await timed(toolNames(client))
    expect(first.value).toContain('good__echo')
    expect(first.ms).toBeLessThan(20_000)
    const second = await timed(toolNames(client))
    expect(second.value).toEqual(first.value)
    expect(second.ms).toBeLessThan(5000)
    const called = await timed(call(client, 'good__echo', { text: 'hi' }))
    expect(textOf(called.value)).toBe('hi')
    expect(called.ms).toBeLessThan(5000)
  })

  it('after a restart is still shown as it was remembered', async () => {
    const folder = tempFolder()
    const [main] = stdioUpstream().args
    folder.write(
      'server.mjs',
      `import { existsSync } from 'node:fs'
       if (existsSync('hang')) process.argv.push('--hang-init')
       await import(${JSON.stringify(`file://${main}`)})`,
    )
    const servers = { one: { command: process.execPath, args: [folder.file('server.mjs')] } }
    const before = await openGateway({ servers, folder })
    const names = await toolNames(await before.connect())
    expect(names).toContain('echo')
    await before.close()
    folder.write('hang', '')
    const after = await openGateway({ servers, folder })
    const client = await after.connect()
    const listed = await timed(toolNames(client))
    expect(listed.value).toEqual(names)
    expect(listed.ms).toBeLessThan(5000)
  })

  it('is not waited for on behalf of an agent that may not use it', async () => {
    const { connect } = await openGateway({
      servers: { stuck: stdioUpstream('--hang-init') },
      rules: { agents: { guest: { deny: { servers: ['stuck'] } } } },
    })
    const client = await connect({ headers: { 'x-agent-id': 'guest' } })
    const denied = await timed(execute(client, 'stuck', 'echo'))
    expect(structured(denied.value)).toMatchObject({ error: { code: 'DENIED_BY_POLICY' } })
    expect(denied.ms).toBeLessThan(10_000)
  })

  it('before it was ever heard is waited for as long as the call may take', async () => {
    const { connect } = await openGateway({ servers: { stuck: stdioUpstream('--hang-init') } })
    const client = await connect()
    const args = { server: 'stuck', tool: 'echo', timeout_ms: 300 }
    const late = await timed(call(client, 'execute_tool', args))
    expect(structured(late.value)).toMatchObject({ error: { code: 'TIMEOUT', timeout_ms: 300 } })
    expect(late.ms).toBeLessThan(10_000)
  })

  it('in a call lets go of its place when the client gives up', async () => {
    const { connect } = await openGateway({
      servers: { one: { ...stdioUpstream(), max_concurrency: 1 } },
    })
    const client = await connect()
    await call(client, 'echo')
    const leaving = new AbortController()
    const hanging = client.request('tools/call', { name: 'hang' }, { signal: leaving.signal })
    setTimeout(() => leaving.abort(), 50)
    await expect(hanging).rejects.toThrow('cancelled')
    const next = await timed(call(client, 'whoami'))
    expect(next.ms).toBeLessThan(10_000)
    expect(structured(next.value)['cancelled']).toHaveLength(1)
  })
})

describe('a server that talks nonsense', () => {
  it('on stdout is still understood where it makes sense', async () => {
    const { connect } = await openGateway({ servers: { one: stdioUpstream() } })
    const client = await connect()
    expect(textOf(await call(client, 'garbage'))).toBe('after the garbage')
    expect(textOf(await call(client, 'echo', { text: 'still here' }))).toBe('still here')
  })

  it('by the megabyte on stderr neither stops nor fills the gateway', async () => {
    const { connect } = await openGateway({ servers: { one: stdioUpstream() } })
    const client = await connect()
    const flood = await call(client, 'flood_stderr', { bytes: 30_000_000 })
    expect(textOf(flood)).toBe('wrote 30000000 bytes')
    expect(textOf(await call(client, 'echo', { text: 'dry' }))).toBe('dry')
  })
})

describe('a server over HTTP', () => {
  it('that forgets our session is greeted again, unnoticed', async () => {
    const upstream = await httpUpstream('--era', 'legacy')
    const { connect } = await openGateway({ servers: { one: { url: upstream.url } } })
    const client = await connect()
    expect(textOf(await call(client, 'echo', { text: '1' }))).toBe('1')
    await fetch(upstream.url.replace('/mcp', '/expire'), { method: 'POST' })
    const both = [call(client, 'echo', { text: '2' }), call(client, 'echo', { text: '3' })]
    expect((await Promise.all(both)).map(textOf)).toEqual(['2', '3'])
  })

  it.each([
    ['legacy', '--sse'],
    ['modern', '--sse'],
    ['modern', '--no-sse'],
  ])('of the %s era (%s) whose answer breaks off fails that call at once', async (era, flag) => {
    const upstream = await httpUpstream('--era', era, flag)
    const { connect } = await openGateway({ servers: { one: { url: upstream.url } } })
    const client = await connect()
    await call(client, 'echo')
    const { value, ms } = await timed(call(client, 'die'))
    expect(structured(value)).toMatchObject({ error: { code: 'SERVER_UNAVAILABLE' } })
    expect(ms).toBeLessThan(10_000)
    expect(textOf(await call(client, 'echo', { text: 'on' }))).toBe('on')
  })

  it('that asks for a token says so to the user, and works with one', async () => {
    const { url } = await httpUpstream('--auth', 't1')
    const headers = { Authorization: 'Bearer t1' }
    const { connect } = await openGateway({ servers: { closed: { url }, open: { url, headers } } })
    const client = await connect({ query: '' })
    expect(textOf(await execute(client, 'open', 'echo', { text: 'in' }))).toBe('in')
    const refused = await execute(client, 'closed', 'echo')
    expect(refused).toMatchObject({ isError: true })
    expect(textOf(refused)).toContain('Authorization header in .mcp.json')
  })

  it('gets the headers of its configuration, with or without a token among them', async () => {
    const upstream = await httpUpstream('--require-header', 'X-API-Key:k1')
    const headers = { 'X-API-Key': 'k1' }
    const { connect } = await openGateway({
      servers: { one: { url: upstream.url, headers }, two: { url: upstream.url } },
    })
    const client = await connect()
    expect(textOf(await call(client, 'one__echo', { text: 'in' }))).toBe('in')
    for (const refused of [await call(client, 'two__echo'), await execute(client, 'two', 'echo')]) {
      expect(textOf(refused)).toContain('X-API-Key')
      expect(textOf(refused)).toContain('check its entry in .mcp.json')
    }
  })
})

/** A server that agrees to a protocol version that nobody knows, and knows no other method. */
const FROM_THE_FUTURE = `
const greeting = { protocolVersion: '2099-01-01', capabilities: {}, serverInfo: { name: 'x', version: '1' } }
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const answer = method === 'initialize' ? { result: greeting } : { error: { code: -32601, message: 'Method not found' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})`

it('a server that agrees to an unknown protocol version is told apart from one that fails', async () => {
  await using far = await serveHttp(({ body }, response) => {
    const { id, method } = parseObject(body) ?? {}
    if (method === 'initialize')
      sendJson(response, { jsonrpc: '2.0', id, result: { protocolVersion: '2099-01-01' } })
    else sendJson(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }, 404)
  })
  const near = { command: process.execPath, args: ['-e', FROM_THE_FUTURE] }
  const { connect } = await openGateway({ servers: { far: { url: far.url }, near } })
  for (const era of ['legacy', 'modern'] as const) {
    const client = await connect({ era })
    for (const name of ['far', 'near']) {
      const said = textOf(await execute(client, name, 'echo'))
      expect(said).toContain('it agreed to protocol version 2099-01-01, which is not known here')
      expect(said).toContain('check its entry in .mcp.json')
    }
  }
})

it('a WebSocket that closes cancels what it was waiting for', async () => {
  const { url, connect } = await openGateway({ servers: { one: stdioUpstream() } })
  const leaver = await openWebSocket(`${url.replace('http', 'ws')}/ws?surface=direct`)
  const begun = new Promise<void>((resolve) => {
    const params = { name: 'slow', arguments: { ms: 60_000, steps: 1000 } }
    void leaver.request('tools/call', params, { onProgress: () => resolve() })
  })
  await begun
  await leaver.close()
  const client = await connect()
  await expect
    .poll(async () => structured(await call(client, 'whoami'))['cancelled'])
    .toHaveLength(1)
})

it('keeps 64 callers of a server that hangs no longer than about the deadline', async () => {
  const gateway = await openGateway({
    servers: { one: stdioUpstream() },
    settings: { breaker: { failures: 1000 }, deadlines: { tools: { 'one.hang': 400 } } },
  })
  const client = await gateway.connect()
  await call(client, 'echo', { text: 'warm' })
  const answers = await Promise.all(Array.from({ length: 64 }, async () => call(client, 'hang')))
  for (const answer of answers)
    expect(structured(answer)).toMatchObject({ error: { code: 'TIMEOUT' } })
  await gateway.close()
  const hung = auditOf(gateway).filter(({ decision }) => decision === 'TIMEOUT')
  expect(hung).toHaveLength(64)
  for (const { latency_ms: ms } of hung) expect(ms).toBeLessThan(4000)
})
