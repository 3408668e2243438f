import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { call, callUntilProgress, refusal, textOf } from '../support/clients/talk.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function open(listen: object = {}): Promise<Opened> {
  return openGateway({ servers: { one: stdioUpstream() }, settings: { listen: { ...listen } } })
}

async function ended({ child }: Opened): Promise<unknown[]> {
  if (child.exitCode !== null || child.signalCode !== null)
    return [child.exitCode, child.signalCode]
  return once(child, 'exit')
}

async function initialize({ url }: Opened): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'late' } },
    }),
  })
}

it.each(['legacy', 'modern'] as const)(
  'a %s call in flight ends as it would have, new work is refused, and the exit is clean',
  async (era) => {
    const gateway = await open()
    const client = await gateway.connect({ era })
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
    const running = await callUntilProgress(client, 'slow', { ms: 3000, steps: 30 })
    gateway.child.kill('SIGTERM')

    await expect.poll(async () => (await fetch(`${gateway.url}/ready`)).status).toBe(503)
    expect(await (await fetch(`${gateway.url}/ready`)).json()).toMatchObject({
      status: 'unready',
      checks: { serving: { ok: false, error: 'shutting down', since: expect.any(String) } },
    })
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200)

    const late = await initialize(gateway)
    expect(late.status).toBe(503)
    expect(late.headers.get('retry-after')).toBe('1')
    expect(late.headers.get('connection')).toBe('close')
    expect(await late.json()).toMatchObject({
      id: 7,
      error: { code: -32_001, data: { code: 'SERVER_UNAVAILABLE', retryable: true } },
    })
    expect(await refusal(call(client, 'echo', { text: 'late' }))).toMatchObject({ code: -32_001 })

    expect(textOf(await running.result)).toBe('slept 3000 ms')
    expect(await ended(gateway)).toEqual([0, null])
  },
)

it('what clients answer while a call is under way is not refused', async () => {
  const gateway = await open()
  const client = await gateway.connect({ era: 'legacy' })
  const slow = await callUntilProgress(client, 'slow', { ms: 1500, steps: 30 })
  gateway.child.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${gateway.url}/ready`)).status).toBe(503)
  const answer = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 99, result: {} }),
  })
  // Not 503: it is let through as far as its session, which it does not name.
  expect(answer.status).toBe(400)
  expect(textOf(await slow.result)).toBe('slept 1500 ms')
})

it('serves on for listen.drainMs, not ready and asking clients not to come back', async () => {
  const gateway = await open({ drainMs: 6000 })
  const client = await gateway.connect({ era: 'modern' })
  gateway.child.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${gateway.url}/ready`)).status).toBe(503)
  expect(textOf(await call(client, 'echo', { text: 'still here' }))).toBe('still here')
  const opened = await initialize(gateway)
  expect([opened.status, opened.headers.get('connection')]).toEqual([200, 'close'])
  expect(await ended(gateway)).toEqual([0, null])
})

it('a second signal ends it at once', async () => {
  const gateway = await open()
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`, 'mcp')
  await once(socket, 'open')
  const params = { name: 'slow', arguments: { ms: 20_000 } }
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  await sleep(200)
  gateway.child.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${gateway.url}/ready`)).status).toBe(503)
  const begun = Date.now()
  gateway.child.kill('SIGTERM')
  expect(await ended(gateway)).toEqual([143, null])
  expect(Date.now() - begun).toBeLessThan(8000)
})

it.each(['legacy', 'modern'] as const)(
  'a %s call that does not end in time is answered with an error',
  async (era) => {
    const gateway = await open({ finishMs: 300 })
    const client = await gateway.connect({ era })
    const slow = await callUntilProgress(client, 'slow', { ms: 60_000, steps: 600 })
    const running = refusal(slow.result)
    gateway.child.kill('SIGTERM')
    expect((await running).message).toMatch(/shutting down|session was closed/)
    expect(await ended(gateway)).toEqual([0, null])
    expect(gateway.log()).toContain('1 calls did not end within 300 ms')
  },
)

it('streams that only listen are told, and keep nobody waiting', async () => {
  const gateway = await open()
  const modern = await gateway.connect({ era: 'modern' })
  const listening = modern.request('subscriptions/listen', {
    notifications: { toolsListChanged: true },
  })
  const sse = await fetch(`${gateway.url}/sse`, { headers: { accept: 'text/event-stream' } })
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`, 'mcp')
  await once(socket, 'open')
  const closed = once(socket, 'close')
  await expect.poll(() => modern.heard.length).toBeGreaterThan(0)
  const begun = Date.now()
  gateway.child.kill('SIGTERM')
  expect(await listening).toMatchObject({ resultType: 'complete' })
  expect(await sse.text()).toMatch(/retry: 1000\n\n$/)
  expect((await closed)[0]).toBe(1012)
  expect(await ended(gateway)).toEqual([0, null])
  expect(Date.now() - begun).toBeLessThan(10_000)
})

it('a call that waits for its client to answer ends with the gateway', async () => {
  const gateway = await open()
  const client = await gateway.connect({ era: 'modern' })
  const asked = await client.text('tools/call', { name: 'ask_elicitation', arguments: {} })
  expect(asked).toContain('input_required')
  const begun = Date.now()
  gateway.child.kill('SIGTERM')
  expect(await ended(gateway)).toEqual([0, null])
  expect(Date.now() - begun).toBeLessThan(15_000)
})

it('on stdio too: the call ends, the next one is refused', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { one: stdioUpstream() } })
  const child = spawn(process.execPath, [MAIN, '--surface', 'direct'], {
    cwd: folder.path,
    env: gatewayEnv(folder),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = new Map<number, unknown>()
  let progress = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message: { id?: number; method?: string } = JSON.parse(line)
    if (message.id !== undefined) answers.set(message.id, message)
    if (message.method === 'notifications/progress') progress += 1
  })
  const say = (id: number, method: string, params: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  say(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} })
  await expect.poll(() => answers.has(1)).toBe(true)
  const slow = { ms: 4000, steps: 40 }
  say(2, 'tools/call', { name: 'slow', arguments: slow, _meta: { progressToken: 'p' } })
  await expect.poll(() => progress).toBeGreaterThan(0)
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  let id = 2
  const isRefused = () => {
    id += 1
    say(id, 'tools/call', { name: 'echo', arguments: { text: 'late' } })
    return [...answers.values()].some((answer) => Object(answer).error?.code === -32_001)
  }
  await expect.poll(isRefused).toBe(true)
  expect(await exit).toEqual([0, null])
  expect(answers.get(2)).toMatchObject({ result: { content: [{ text: 'slept 4000 ms' }] } })
})
