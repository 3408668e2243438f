import net from 'node:net'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

/** Opens `count` connections that send `bytes` and then nothing; returns how to close them. */
async function hold(url: string, count: number, bytes: string): Promise<() => void> {
  const { hostname, port } = new URL(url)
  const sockets = await Promise.all(
    Array.from(
      { length: count },
      async () =>
        new Promise<net.Socket>((resolve) => {
          const socket = net.connect(Number(port), hostname)
          socket.on('error', () => resolve(socket))
          socket.on('connect', () => {
            socket.write(bytes)
            resolve(socket)
          })
        }),
    ),
  )
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

const HALF = 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'

/** Many connections that never finish their request, and too few file descriptors for all. */
export const connections: Attack = {
  name: 'slow and many connections, no descriptors left',
  async run(field) {
    const rig = await Rig.open({ servers: { good: hostile() } })
    const floods: Readonly<Record<string, readonly [count: number, bytes: string]>> = {
      'idle connections': [800, ''],
      'half a request line': [400, 'POST /m'],
      'half the headers': [400, HALF],
      'a body that never comes': [400, `${HALF}Content-Length: 1000\r\n\r\n{`],
      'chunks that never end': [400, `${HALF}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":`],
      'streams that only listen': [
        200,
        'GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
      ],
      'no HTTP at all': [100, '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
      'headers without end': [100, `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'a'.repeat(60_000)}`],
    }
    for (const [name, [count, bytes]] of Object.entries(floods)) {
      const release = await hold(rig.url, count, bytes)
      await field.try(`${count} × ${name}: others are served`, async () => works(rig))
      release()
      await field.try(`${count} × ${name}: and afterwards`, async () => works(rig))
    }
    await field.try('300 sessions a client never ends', async () => {
      for (let n = 0; n < 300; n += 1)
        await rig.post(
          JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: {
              protocolVersion: '2025-06-18',
              capabilities: {},
              clientInfo: { name: 'x', version: '1' },
            },
          }),
        )
      return works(rig)
    })
    await rig.discard()

    const scarce = await Rig.open({
      servers: { good: hostile() },
      settings: { builtins: { traces: true, knowledge: true } },
      // Loading the modules of traces alone opens more than a hundred files at once.
      before: 'ulimit -n 400;',
    })
    const release = await hold(scarce.url, 600, '')
    await scarce.call('traces__list_tags', {}, { timeoutMs: 5_000 }).catch(() => undefined)
    await scarce
      .call('knowledge__knowledge_sources', {}, { timeoutMs: 5_000 })
      .catch(() => undefined)
    release()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await field.try('after a moment without descriptors it lives', async () => scarce.isAlive())
    await field.try('a child process can be started', async () => works(scarce))
    await field.try(
      'traces can be opened',
      async () =>
        !/EMFILE|cannot be opened|unavailable/i.test(await scarce.call('traces__list_tags', {})),
    )
    await field.try(
      'knowledge can be opened',
      async () =>
        !/EMFILE|SERVER_UNAVAILABLE/i.test(await scarce.call('knowledge__knowledge_sources', {})),
    )
    await field.try(
      'the dashboard can be opened',
      async () => (await scarce.get('/api/dashboard/overview')).status === 200,
    )
    await scarce.discard()
  },
}

async function works(rig: Rig): Promise<boolean> {
  return (await rig.call('good__echo', { text: 'still here' })).includes('still here')
}
