import { createServer, request as sendTo } from 'node:http'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { AN_ARRIVAL, aBackend, anIdentity } from '../../test/support/a-backend.ts'
import { GatewayError } from '../gateway/errors.ts'
import { createSessionIds } from '../fronts/session-ids.ts'
import { Bodies } from './body.ts'
import { createMcpFront } from './mcp.ts'
import { createSessions } from './sessions/sessions.ts'
import { Unfinished } from './unfinished.ts'

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

it('refuses a request whose credential was revoked while its body arrived', async () => {
  let isRevoked = false
  const backend = aBackend({
    authenticate() {
      if (isRevoked) throw new GatewayError('UNAUTHENTICATED', 'revoked')
      return anIdentity()
    },
  })
  const ids = createSessionIds(() => Buffer.alloc(32))
  const sessions = createSessions({ ids, idleMs: 60_000, releaseMs: 60_000 })
  const front = createMcpFront(backend, sessions, {
    bodies: new Bodies(1000, new Unfinished(1000)),
  })
  const server = createServer((request, response) => {
    void front.handle(request, response, { ...AN_ARRIVAL, credential: 'key' })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined

  const request = sendTo({ port, host: '127.0.0.1', method: 'POST' })
  request.write(PING.slice(0, 10))
  await setTimeout(600)
  isRevoked = true
  request.end(PING.slice(10))
  const [response] = await once(request, 'response')

  expect(response.statusCode).toBe(401)
})
