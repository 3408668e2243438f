import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { MAX_BLOCKED_MS } from './frozen-loop.ts'
import { LoopProbe } from './loop-probe.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

/** More than this, beside what a gateway takes anyway, is memory without bound. */
const MAX_MB = 700
const MB = 1024 * 1024
const HEAD = 'HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'

/** Clients that send a large body and never finish it, and clients that never read. */
export const slowReaders: Attack = {
  name: 'slow readers and unfinished bodies',
  async run(field) {
    const attacks: Readonly<Record<string, (rig: Rig) => Promise<() => void>>> = {
      '30 bodies of 50 MB that never end': unfinishedBodies,
      '30 WebSocket messages of 50 MB that never end': unfinishedFrames,
      'a WebSocket client that never reads 300 answers of 5 MB': neverReads,
      '90 answers of 5 MB to requests sent ahead': sentAhead,
      'an event stream that nobody reads, 90 answers of 5 MB': unreadStream,
    }
    for (const [name, attack] of Object.entries(attacks)) {
      const rig = await Rig.open({ servers: { good: hostile() } })
      await rig.call('good__blob')
      await field.try(`${name}: memory is bounded`, async () => {
        const before = rssMb(rig.pid)
        let most = 0
        const watching = setInterval(() => (most = Math.max(most, rssMb(rig.pid))), 50)
        const release = await attack(rig)
        await untilStill(() => most)
        clearInterval(watching)
        release()
        console.log(`  ${name}: ${before} → ${most} MB`)
        return most - before < MAX_MB
      })
      await field.try(`${name}: others are served`, async () =>
        (await rig.call('good__echo', { text: 'still here' })).includes('still here'),
      )
      await rig.discard()
    }
    const closed = await Rig.open({
      servers: { good: hostile() },
      settings: { auth: { required: true } },
    })
    await field.try('20 bodies of 20 MB without a credential are not parsed', async () => {
      const probe = LoopProbe.start(closed)
      const body = JSON.stringify({ a: Array.from({ length: 900_000 }, () => 'twenty letters') })
      const sent = await Promise.all(Array.from({ length: 20 }, async () => closed.post(body)))
      const blockedMs = await probe.stop()
      console.log(`  20 bodies without a credential: ${Math.round(blockedMs)} ms`)
      return blockedMs < MAX_BLOCKED_MS && sent.every(({ status }) => status === 401)
    })
    await closed.discard()
  },
}

async function unfinishedBodies(rig: Rig): Promise<() => void> {
  const body = Buffer.alloc(50 * MB, ' ')
  const sockets = Array.from({ length: 30 }, () => open(rig))
  for (const socket of sockets) {
    socket.write(`POST /mcp ${HEAD}Content-Length: ${60 * MB}\r\n\r\n`)
    socket.write(body)
    await sleep(100)
  }
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

async function unfinishedFrames(rig: Rig): Promise<() => void> {
  const body = Buffer.alloc(50 * MB, ' ')
  const clients = await Promise.all(Array.from({ length: 30 }, async () => connect(rig)))
  for (const client of clients) {
    client.send(body, { fin: false })
    await sleep(100)
  }
  return () => {
    for (const client of clients) client.terminate()
  }
}

async function neverReads(rig: Rig): Promise<() => void> {
  const client = await connect(rig)
  client.send(message('initialize', INITIALIZE))
  client.pause()
  for (let n = 0; n < 300; n += 1) {
    client.send(message('tools/call', LARGE))
    await sleep(10)
  }
  return () => client.terminate()
}

async function sentAhead(rig: Rig): Promise<() => void> {
  const socket = open(rig).pause()
  for (let n = 0; n < 90; n += 1) {
    const call = message('tools/call', LARGE)
    const body = `[${message('initialize', INITIALIZE)},${call}]`
    socket.write(`POST /mcp?surface=direct ${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`)
  }
  return () => void socket.destroy()
}

async function unreadStream(rig: Rig): Promise<() => void> {
  const stream = open(rig)
  stream.write(
    'GET /sse?surface=direct HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
  )
  let said = ''
  while (!said.includes('sessionId=')) {
    const [chunk]: Buffer[] = await once(stream, 'data')
    said += String(chunk)
  }
  stream.pause()
  const path = /\/messages\?sessionId=[\w-]+/.exec(said)?.[0] ?? ''
  const socket = open(rig).resume()
  const posts = [message('initialize', INITIALIZE)]
  for (let n = 0; n < 90; n += 1) posts.push(message('tools/call', LARGE))
  for (const body of posts) {
    socket.write(`POST ${path} ${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`)
    await sleep(20)
  }
  return () => {
    stream.destroy()
    socket.destroy()
  }
}

const INITIALIZE = {
  protocolVersion: '2025-03-26',
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
}

/** A call whose answer has 5 MB. */
const LARGE = { name: 'good__blob', arguments: {} }

let lastId = 0
function message(method: string, params: object): string {
  lastId += 1
  return JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })
}

function open(rig: Rig): net.Socket {
  const { hostname, port } = new URL(rig.url)
  return net.connect(Number(port), hostname).on('error', () => undefined)
}

async function connect(rig: Rig): Promise<WebSocket> {
  const client = new WebSocket(`${rig.url.replace('http', 'ws')}/ws?surface=direct`)
  client.on('error', () => undefined)
  await once(client, 'open')
  return client
}

/** Waits until a value that only grows has not grown for a while. */
async function untilStill(read: () => number): Promise<void> {
  for (let seen = -1; seen < read();) {
    seen = read()
    await sleep(5_000)
  }
}

function rssMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}
