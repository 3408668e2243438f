import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { JsonObject } from '../../src/base/json/json.ts'
import { MAX_BLOCKED_MS } from './frozen-loop.ts'
import { LoopProbe } from './loop-probe.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

/** `listen.finishMs` by default, and time to close. */
const MAX_DRAIN_MS = 30_000
const LONG_QUERY = 'find the item of a project and change it by its id or a filter '.repeat(5)
const REQUESTS: Readonly<Record<string, JsonObject>> = {
  find_tools: toolCall('find_tools', { query: LONG_QUERY }),
  get_server_tools: toolCall('get_server_tools', { server: 'many' }),
  'tools/list': { jsonrpc: '2.0', method: 'tools/list', params: {} },
}
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: {
    protocolVersion: '2025-03-26',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  },
}

/** Many requests at once, each of which takes milliseconds of the main thread. */
export const batches: Attack = {
  name: 'batches, and many requests at once',
  async run(field) {
    const rig = await Rig.open({ servers: { many: hostile('many') } })
    await rig.call('find_tools', { query: 'item' })
    for (const [name, request] of Object.entries(REQUESTS)) {
      const ways: Readonly<Record<string, () => Promise<unknown>>> = {
        'a batch of 1,000': async () => rig.post(batch(request, 999)),
        'batches of 99, five at once': async () =>
          Promise.all(Array.from({ length: 5 }, async () => rig.post(batch(request, 99)))),
        '400 requests at once': async () =>
          Promise.all(Array.from({ length: 400 }, async () => ask(rig, request))),
        '90 requests sent ahead on a connection': async () => ahead(rig, request, 90),
        '400 messages over a WebSocket': async () => overWebSocket(rig, request, 400),
      }
      for (const [way, send] of Object.entries(ways))
        await field.try(`${way} of ${name}`, async () => {
          const probe = LoopProbe.start(rig)
          await send()
          const blockedMs = await probe.stop()
          console.log(`  ${way} of ${name}: ${Math.round(blockedMs)} ms`)
          if (blockedMs > MAX_BLOCKED_MS) throw new Error(`${Math.round(blockedMs)} ms`)
          return rig.isAlive()
        })
    }
    await field.try('SIGTERM while 400 searches wait', async () => {
      const asking = Array.from({ length: 400 }, async () => ask(rig, REQUESTS['find_tools'] ?? {}))
      await sleep(300)
      const ended = once(rig.child, 'exit')
      rig.child.kill('SIGTERM')
      const late = sleep(MAX_DRAIN_MS).then(() => ['late'])
      const [code]: unknown[] = await Promise.race([ended, late])
      await Promise.all(asking)
      return code === 0
    })
    await rig.discard()
  },
}

function toolCall(name: string, args: JsonObject): JsonObject {
  return { jsonrpc: '2.0', method: 'tools/call', params: { name, arguments: args } }
}

function batch(request: JsonObject, length: number): string {
  return JSON.stringify([INITIALIZE, ...Array.from({ length }, (_, id) => ({ ...request, id }))])
}

/** Sends one request by the modern protocol. */
async function ask(rig: Rig, { method, params }: JsonObject): Promise<unknown> {
  const options = { timeoutMs: 120_000 }
  return rig.request(String(method), Object(params), options).catch(() => undefined)
}

/** Sends requests on one connection without waiting for answers. */
async function ahead(rig: Rig, request: JsonObject, count: number): Promise<void> {
  const body = JSON.stringify([INITIALIZE, { ...request, id: 1 }])
  const { hostname, port } = new URL(rig.url)
  const socket = net.connect(Number(port), hostname).on('error', () => undefined)
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(`${head}${body}`.repeat(count))
  let answers = 0
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.on('data', (chunk: Buffer) => {
      answers += chunk.toString('latin1').split('HTTP/1.1 200').length - 1
      if (answers >= count) resolve()
    })
  })
  socket.destroy()
}

async function overWebSocket(rig: Rig, request: JsonObject, count: number): Promise<void> {
  const client = new WebSocket(`${rig.url.replace('http', 'ws')}/ws`)
  await once(client, 'open')
  let answers = 0
  const answered = new Promise<void>((resolve) => {
    client.on('close', () => resolve())
    client.on('message', () => {
      answers += 1
      if (answers > count) resolve()
    })
  })
  client.send(JSON.stringify(INITIALIZE))
  for (let id = 0; id < count; id += 1) client.send(JSON.stringify({ ...request, id }))
  await answered
  client.terminate()
}
