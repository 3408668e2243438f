import { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { anHttpRequest } from '../../test/support/an-http-request.ts'
import { AN_ARRIVAL, anIdentity } from '../../test/support/a-backend.ts'
import { deferred } from '../../test/support/deferred.ts'
import { parseObject } from '../base/json/json.ts'
import type { Backend } from '../fronts/backend.ts'
import type { Identity } from '../gateway/request.ts'
import { createSessionIds } from '../fronts/session-ids.ts'
import { Bodies } from './body.ts'
import { createMcpFront } from './mcp.ts'
import { Reply, openEventStream } from './reply.ts'
import { createLegacyHttp } from './sessions/legacy-http.ts'
import { createSessions } from './sessions/sessions.ts'
import { createSseFront } from './sse.ts'
import { Unfinished } from './unfinished.ts'

afterEach(() => {
  vi.useRealTimers()
})

const none = () => undefined
const bodies = new Bodies(1000, new Unfinished(1000))

/** A gateway of which only the parts that streams use are there. */
function aBackend(parts: Partial<Backend> = {}): Backend {
  const backend: Partial<Backend> = {
    phase: 'serving',
    authenticate: () => anIdentity(),
    onNotification: () => none,
    release: none,
    ...parts,
  }
  // oxlint-disable-next-line no-unsafe-type-assertion -- a stream asks for nothing else
  return backend as Backend
}

function someSessions() {
  const ids = createSessionIds(() => Buffer.alloc(32))
  return createSessions({ ids, idleMs: 60_000, releaseMs: 60_000 })
}

it('opens no SSE session for a client that left while it was being authenticated', async () => {
  const known = deferred<Identity>()
  const front = createSseFront(aBackend({ authenticate: async () => known.promise }), '/messages', {
    bodies,
  })
  const response = new ServerResponse(anHttpRequest())
  const opening = front.open(anHttpRequest(), response, AN_ARRIVAL)
  response.destroy()
  known.resolve(anIdentity())
  await opening
  expect(front.size).toBe(0)
})

it('opens no stream of a session for a client that left while it was being authenticated', async () => {
  const known = deferred<Identity>()
  const backend = aBackend({ authenticate: async () => known.promise })
  const sessions = someSessions()
  const session = sessions.open({ backend, arrival: AN_ARRIVAL, owner: '' }, {})
  const request = anHttpRequest({ 'mcp-session-id': session.id, accept: 'text/event-stream' })
  const response = new ServerResponse(request)
  const reply = new Reply(response)
  const opening = createLegacyHttp(backend, sessions).listen(
    { request, reply, arrival: AN_ARRIVAL },
    response,
  )
  response.destroy()
  known.resolve(anIdentity())
  await opening
  expect(session.busy).toBe(false)
  sessions.closeAll()
})

it('drops messages for a stream that has ended', async () => {
  const response = new ServerResponse(anHttpRequest())
  const errors: Error[] = []
  response.on('error', (error) => errors.push(error))
  const write = openEventStream(response)
  response.end()
  write('{}')
  await setImmediate()
  expect(errors).toEqual([])
})

it('sends what comes after the answer to a call on the stream of the session', async () => {
  const sessions = someSessions()
  const session = sessions.open({ backend: aBackend(), arrival: AN_ARRIVAL, owner: '' }, {})
  const heard: string[] = []
  session.listen((text) => heard.push(text))
  const reply = new Reply(new ServerResponse(anHttpRequest()))
  const channel = session.channel((text) => reply.send(text))
  reply.finish('{}')
  channel.notify('notifications/message', {})
  const asked = channel.request('roots/list', {})
  expect(heard.map((text) => parseObject(text)?.['method'])).toEqual([
    'notifications/message',
    'roots/list',
  ])
  sessions.closeAll()
  await expect(asked).rejects.toThrow('closed')
})

it('answers with a status however long the body took', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const sessions = someSessions()
  const front = createMcpFront(aBackend(), sessions, { bodies })
  const request = anHttpRequest({}, 'POST')
  const response = new ServerResponse(request)
  const answered = front.handle(request, response, AN_ARRIVAL)
  vi.advanceTimersByTime(20_000)
  request.push('no JSON')
  request.push(null)
  await answered
  expect(response.statusCode).toBe(400)
  sessions.closeAll()
})
