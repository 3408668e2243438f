import http from 'node:http'
import net from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { CallEvent } from '../gateway/call.ts'
import { SseParser } from '../protocol/framing/sse.ts'
import { toAuditEntry } from '../telemetry/audit/audit-entry.ts'
import type { AuditRecord, AuditSearch } from '../telemetry/audit/audit-search.ts'
import { createFeed } from '../telemetry/feed.ts'
import type { LiveEvents } from './contract/calls.ts'
import { LiveCalls } from './live-calls.ts'

let count = 0

function aCall(more: Partial<CallEvent> = {}): CallEvent {
  count++
  return { id: `c${count}`, startedAt: Date.now(), operation: 'tools/call', agent: 'ada', ...more }
}

async function aStream(batchMs?: number) {
  const feed = createFeed()
  const records: AuditRecord[] = []
  const auditSearch: AuditSearch = { search: async () => ({ records }) }
  const live = new LiveCalls({ feed, auditSearch }, (json) => json, batchMs)
  const server = http.createServer((request, response) => {
    void live.open(request, response, new URL(request.url ?? '/', 'http://x').searchParams)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return { feed, live, port, records }
}

async function read(port: number, path = '/') {
  const events: LiveEvents['calls'][] = []
  const parser = new SseParser(({ data }) => void events.push(JSON.parse(data)))
  const socket = net.connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(`GET ${path} HTTP/1.0\r\nhost: x\r\n\r\n`)
  let head = true
  socket.on('data', (chunk: Buffer) => {
    const text = chunk.toString()
    parser.push(Buffer.from(head ? text.slice(text.indexOf('\r\n\r\n') + 4) : text))
    head = false
  })
  await vi.waitFor(() => expect(events.length).toBeGreaterThan(0))
  return { events, socket }
}

it('begins with what went before, newest first, as much as is asked for', async () => {
  const { feed, port } = await aStream()
  for (const tool of ['a', 'b', 'c']) feed.record(aCall({ tool }))
  const { events } = await read(port, '/?limit=2')
  expect(events[0]?.calls.map(({ tool }) => tool)).toEqual(['c', 'b'])
})

it('begins with calls of other processes too, and tells of theirs as they are written', async () => {
  const { feed, port, records } = await aStream()
  const write = (call: CallEvent) => void records.unshift(JSON.parse(toAuditEntry(call)))
  const own = aCall({ tool: 'own' })
  feed.record(own)
  write(own)
  write(aCall({ tool: 'before', startedAt: Date.now() - 60_000 }))
  write(aCall({ tool: 'config.reload', operation: 'dashboard' }))
  const { events } = await read(port)
  expect(events[0]?.calls.map(({ tool }) => tool)).toEqual(['own', 'before'])
  write(aCall({ tool: 'after' }))
  await vi.waitFor(() => expect(events).toHaveLength(2), { timeout: 10_000 })
  expect(events[1]?.calls.map(({ tool }) => tool)).toEqual(['after'])
})

it('tells of a storm in batches, and how many calls it left out', async () => {
  const { feed, port } = await aStream()
  const { events } = await read(port)
  for (let n = 0; n < 1_000; n++) feed.record(aCall())
  await vi.waitFor(() => expect(events).toHaveLength(2))
  expect(events[1]?.calls).toHaveLength(100)
  expect(events[1]?.skipped).toBe(900)
})

it('keeps little for a reader that does not read, and tells it later what it missed', async () => {
  const { feed, port, live } = await aStream(1)
  const { events, socket } = await read(port)
  socket.pause()
  const error = 'x'.repeat(1_900)
  let told = 0
  for (let round = 0; round < 60; round++) {
    for (let n = 0; n < 100; n++) feed.record(aCall({ error }))
    told += 100
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  socket.resume()
  feed.record(aCall())
  told += 1
  await vi.waitFor(
    () => {
      const seen = events.reduce((sum, { calls, skipped }) => sum + calls.length + skipped, 0)
      feed.record(aCall())
      told += 1
      expect(seen).toBeGreaterThanOrEqual(told - 10)
    },
    { timeout: 10_000, interval: 120 },
  )
  expect(events.some(({ skipped }) => skipped > 0)).toBe(true)
  live.close()
})

it('stops listening when the last reader has left', async () => {
  const { feed, port } = await aStream()
  const listen = vi.spyOn(feed, 'listen')
  const { socket } = await read(port)
  expect(listen).toHaveBeenCalledTimes(1)
  socket.destroy()
  await vi.waitFor(async () => {
    await read(port)
    expect(listen.mock.calls.length).toBeGreaterThan(1)
  })
})

it('writes nothing more to a reader whose time is over, although it has not read everything', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const written: string[] = []
  const response = new http.ServerResponse(new http.IncomingMessage(new net.Socket()))
  response.on('error', ({ message }) => void written.push(message))
  const auditSearch: AuditSearch = { search: async () => ({ records: [] }) }
  const live = new LiveCalls({ feed: createFeed(), auditSearch }, (json) => json)
  await live.open(response.req, response, new URLSearchParams())
  // Nobody reads: the response ends with all of it still waiting, and so it does not close.
  await vi.advanceTimersByTimeAsync(16 * 60_000)
  expect(response.writableEnded).toBe(true)
  expect(written).toEqual([])
})
