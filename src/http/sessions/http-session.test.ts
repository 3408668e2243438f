import { expect, it, vi } from 'vitest'
import { AN_ARRIVAL, aBackend } from '../../../test/support/a-backend.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { Canceller } from '../../base/flow/signal.ts'
import type { Backend } from '../../fronts/backend.ts'
import type { SessionMessage, SessionRelay } from '../../fronts/session-relay.ts'
import { HttpSession } from './http-session.ts'

function aSession(relay?: SessionRelay, backend: Partial<Backend> = {}, isOpenElsewhere = false) {
  const facts = isOpenElsewhere ? { info: undefined, capabilities: {} } : undefined
  const session = new HttpSession({
    id: 'the id',
    key: 'the key',
    owner: '',
    expiresAt: Infinity,
    backend: aBackend(backend),
    arrival: AN_ARRIVAL,
    facts,
    relay,
    ended: () => {},
  })
  const send = async (method: string, params: JsonObject = {}) =>
    session.handle(method, params, { signal: new Canceller(), channel: session.channel() })
  return { session, send }
}

/** The relays of replicas that serve one session, and what they have published. */
function someRelays() {
  const listeners = new Map<number, (message: SessionMessage) => void>()
  const published: SessionMessage[] = []
  const relay = (replica: number): SessionRelay => ({
    publish(_key, message) {
      published.push(message)
      for (const [other, listener] of listeners) if (other !== replica) listener(message)
    },
    subscribe: (_key, listener) => {
      listeners.set(replica, listener)
      return { ready: Promise.resolve(), stop: () => void listeners.delete(replica) }
    },
    end: async () => {},
    hasEnded: async () => false,
  })
  return { relay, published }
}

const methodsIn = (write: { readonly mock: { readonly calls: readonly [string][] } }) =>
  write.mock.calls.map(([text]) => Object(JSON.parse(text)).method)

it('keeps messages for the next stream, but no progress, which is of no use later', () => {
  const { session } = aSession()
  const channel = session.channel()
  channel.notify('notifications/progress', { progress: 1 })
  channel.notify('notifications/message', { data: 'kept' })
  const write = vi.fn<(text: string) => void>()
  const stop = session.listen(write)
  channel.notify('notifications/progress', { progress: 2 })
  const sent = write.mock.calls.map(([text]) => Object(JSON.parse(text)).params)
  expect(sent).toEqual([{ data: 'kept' }, { progress: 2 }])
  stop()
  channel.notify('notifications/progress', { progress: 3 })
  expect(write).toHaveBeenCalledTimes(2)
})

it('sends progress through the replica that has the stream of its client', () => {
  const { relay, published } = someRelays()
  const { session } = aSession(relay(1))
  relay(2).publish('the key', { kind: 'stream' })
  session.channel().notify('notifications/progress', { progress: 1 })
  expect(published.at(-1)).toEqual({
    kind: 'say',
    text: expect.stringContaining('"progress":1'),
  })
})

it('sends what only it knows over the stream that another replica had before it came', async () => {
  const { relay } = someRelays()
  const first = aSession(relay(1))
  const write = vi.fn<(text: string) => void>()
  first.session.listen(write)
  const second = aSession(relay(2), {}, true)
  const channel = second.session.channel()
  // These come before the second one can have heard of the stream.
  channel.notify('notifications/resources/updated', { uri: 'x:1' })
  channel.notify('notifications/tools/list_changed', {})
  void channel.request('roots/list', {}).catch(() => undefined)
  await expect.poll(() => write.mock.calls.length).toBe(2)
  expect(methodsIn(write)).toEqual(['notifications/resources/updated', 'roots/list'])
  channel.notify('notifications/resources/updated', { uri: 'x:2' })
  expect(write).toHaveBeenCalledTimes(3)
  second.session.close()
})

it('shares the log level, and watches a resource at the replica that got the subscription last', async () => {
  const { relay } = someRelays()
  const watched = new Set<string>()
  const watching = (replica: string): Partial<Backend> => ({
    watch: async (uri) => {
      watched.add(replica)
      return { uri, unwatch: () => watched.delete(replica) }
    },
    handle: async ({ client }) => ({ level: client.logLevel }),
  })
  const [one, two] = [aSession(relay(1), watching('1')), aSession(relay(2), watching('2'), true)]
  await one.send('logging/setLevel', { level: 'warning' })
  expect(await two.send('tools/call')).toEqual({ level: 'warning' })
  await one.send('resources/subscribe', { uri: 'x:1' })
  expect([...watched]).toEqual(['1'])
  await two.send('resources/subscribe', { uri: 'x:1' })
  expect([...watched]).toEqual(['2'])
  await one.send('resources/unsubscribe', { uri: 'x:1' })
  expect([...watched]).toEqual([])
})
