import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { Canceller } from '../../base/signal.ts'
import { createOAuth } from '../oauth/oauth.ts'
import { connectSse } from './sse-link.ts'
import { createTokenStore } from '../oauth/token-store.ts'

const EVENTS = {
  request: async () => ({}),
  notification: () => undefined,
  renewed: () => undefined,
  log: () => undefined,
}

/** Sockets of this process that wait for connections. */
function listening(): number {
  const sockets = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1]]
    } catch {
      return [] // Closed since it was listed.
    }
  })
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)
  const LISTEN = '0A'
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTEN && sockets.includes(inode)).length
}

async function serve(answer: Parameters<typeof createServer>[1]) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/sse`)
}

it('an event stream that names no address of its own is closed', async () => {
  let ended: (() => void) | undefined
  const closed = new Promise<void>((resolve) => (ended = resolve))
  const url = await serve((_, response) => {
    response.once('close', () => ended?.())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: endpoint\ndata: http://elsewhere.example/post\n\n')
  })
  const options = { url, headers: {}, credentials: undefined, hide: String }
  const connecting = connectSse(options, EVENTS, undefined, new Canceller())
  await expect(connecting).rejects.toThrow('no address of its own')
  await closed
})

it.runIf(process.platform === 'linux')(
  'a sign-in that cannot begin leaves no page behind that waits for it',
  async () => {
    const url = await serve((_, response) => response.writeHead(500).end())
    const store = createTokenStore(tempFolder().path, url.href)
    const oauth = createOAuth({ server: 'one', url: url.href, store, notify: () => undefined })
    const before = listening()
    await expect(oauth.refused(undefined)).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    await expect.poll(listening).toBe(before)
  },
)
