import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { Canceller } from '../../base/flow/signal.ts'
import { connectSse } from './sse-link.ts'

const EVENTS = {
  request: async () => ({}),
  notification: () => undefined,
  renewed: () => undefined,
  log: () => undefined,
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
