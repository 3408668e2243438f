import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AN_ARRIVAL, aBackend } from '../../test/support/a-backend.ts'
import type { JsonObject } from '../base/json/json.ts'
import { Canceller, type Signal } from '../base/flow/signal.ts'
import type { Backend } from './backend.ts'
import { type Channel, LegacySession } from './legacy-session.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A gateway whose every call tells where the client works, as the first root or the address says. */
const backend = aBackend({
  handle: async ({ client }) => ({ ...(await client.project()) }),
  detect: ({ roots, query }) =>
    roots
      ? { path: JSON.stringify(roots), source: 'roots' }
      : { path: `${query}`, source: 'query_param' },
})

/** How the client answers `roots/list`, one after the other. */
type Answer = (signal: Signal | undefined) => Promise<JsonObject>

const never: Answer = async () => new Promise(() => undefined)
const fails: Answer = async () => Promise.reject(new Error('no'))
const says =
  (answer: JsonObject): Answer =>
  async () =>
    answer
const ONE = { roots: [{ uri: 'file:///one' }] }
const TWO = { roots: [{ uri: 'file:///two' }] }

const ARRIVAL = { ...AN_ARRIVAL, projectPath: '/query' }

async function aSession(roots: JsonObject | undefined, ...answers: readonly Answer[]) {
  let asked = 0
  const channel: Channel = {
    request: async (_method, _params, options) => (answers[asked++] ?? fails)(options?.signal),
    notify: () => undefined,
  }
  const session = new LegacySession({
    id: 's',
    backend,
    arrival: ARRIVAL,
    standing: channel,
  })
  const send = async (method: string, params: JsonObject = {}) =>
    session.handle(method, params, { signal: new Canceller(), channel })
  await send('initialize', { capabilities: roots ? { roots } : {} })
  return { session, asked: () => asked, call: async () => send('tools/call') }
}

const QUERY = { path: '/query', source: 'query_param' }
const found = (roots: JsonObject) => ({ path: JSON.stringify(roots), source: 'roots' })

it.each([
  ['a minute later', async () => vi.advanceTimersByTimeAsync(60_000)],
  [
    'when it announces other roots',
    async (session: LegacySession) => session.receive('notifications/roots/list_changed'),
  ],
  ['when it comes back', async (session: LegacySession) => session.suspend()],
])('waits three seconds for a silent client, once, and asks again %s', async (_, change) => {
  let cancelled = 0
  const silent: Answer = async (signal) => {
    signal?.addEventListener('abort', () => cancelled++)
    return never(signal)
  }
  const { session, call, asked } = await aSession({ listChanged: true }, silent, says(ONE))
  const first = call()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await first).toEqual(QUERY)
  expect(cancelled).toBe(1)
  expect([await call(), await call(), asked()]).toEqual([QUERY, QUERY, 1])
  await change(session)
  expect(await call()).toEqual(found(ONE))
  expect(asked()).toBe(2)
})

it.each([
  ['an error', fails],
  ['an answer without roots', says({})],
])('does not keep %s', async (_, bad) => {
  const { call } = await aSession({ listChanged: true }, bad, says(ONE))
  await call()
  expect(await call()).toEqual(found(ONE))
})

it('keeps a good answer until the client tells of a change, if it does', async () => {
  const keeping = await aSession({ listChanged: true }, says(ONE), says(TWO))
  expect(await keeping.call()).toEqual(found(ONE))
  expect(await keeping.call()).toEqual(found(ONE))
  expect(keeping.asked()).toBe(1)
  keeping.session.receive('notifications/roots/list_changed')
  expect(await keeping.call()).toEqual(found(TWO))
  const asking = await aSession({}, says(ONE), says(TWO))
  expect(await asking.call()).toEqual(found(ONE))
  expect(await asking.call()).toEqual(found(TWO))
})

it('does not keep an answer from before a change', async () => {
  let answer: ((roots: JsonObject) => void) | undefined
  const slow: Answer = async () => new Promise((resolve) => (answer = resolve))
  const { session, call } = await aSession({ listChanged: true }, slow, says(TWO))
  const first = call()
  await vi.advanceTimersByTimeAsync(1)
  session.receive('notifications/roots/list_changed')
  answer?.(ONE)
  await first
  expect(await call()).toEqual(found(TWO))
})

it('asks no client that has no roots', async () => {
  const { call, asked } = await aSession(undefined, says(ONE))
  expect(await call()).toEqual(QUERY)
  expect(asked()).toBe(0)
})

it('sends a client only messages of the level it asked for, within and outside of calls', async () => {
  const sent: unknown[] = []
  const channel: Channel = {
    request: async () => ({}),
    notify: (_method, { data }) => sent.push(data),
  }
  const listeners: Parameters<Backend['onNotification']>[0][] = []
  const session = new LegacySession({
    id: 's',
    arrival: ARRIVAL,
    standing: channel,
    backend: {
      ...backend,
      onNotification: (listener) => (listeners.push(listener), () => undefined),
      async handle({ client }) {
        for (const level of ['info', 'error'])
          client.notify('notifications/message', { level, data: `${level} of the call` })
        return {}
      },
    },
  })
  const send = async (method: string, params: JsonObject = {}) =>
    session.handle(method, params, { signal: new Canceller(), channel })
  await send('initialize')
  await send('tools/call')
  await send('logging/setLevel', { level: 'warning' })
  await send('tools/call')
  for (const level of ['debug', 'alert', 'of its own']) {
    listeners[0]?.('a', 'notifications/message', { level, data: level })
    await vi.advanceTimersByTimeAsync(0)
  }
  expect(sent).toEqual([
    'info of the call',
    'error of the call',
    'error of the call',
    'alert',
    'of its own',
  ])
})

it('sends an update of a resource only to its audience', async () => {
  const sent: unknown[] = []
  const channel: Channel = {
    request: async () => ({}),
    notify: (method, { uri }) => sent.push(`${method} ${String(uri)}`),
  }
  const listeners: Parameters<Backend['onNotification']>[0][] = []
  const session = new LegacySession({
    id: 's',
    arrival: ARRIVAL,
    standing: channel,
    backend: {
      ...backend,
      onNotification: (listener) => (listeners.push(listener), () => undefined),
      permits: async (_, __, audience) => audience?.('user:ada') ?? true,
      watch: async (uri) => ({ uri, unwatch: () => undefined }),
    },
  })
  const send = async (method: string, params: JsonObject = {}) =>
    session.handle(method, params, { signal: new Canceller(), channel })
  await send('initialize')
  await send('resources/subscribe', { uri: 'x:inbox' })
  const update = (audience?: (person: string) => boolean) =>
    listeners[0]?.('mail', 'notifications/resources/updated', { uri: 'x:inbox' }, audience)
  update((person) => person === 'user:bob')
  await vi.advanceTimersByTimeAsync(0)
  expect(sent).toEqual([])
  update((person) => person === 'user:ada')
  update()
  await vi.advanceTimersByTimeAsync(0)
  expect(sent).toEqual(Array(2).fill('notifications/resources/updated x:inbox'))
})

it('watches a resource once for a client that subscribes, unsubscribes and subscribes again', async () => {
  const starts: (() => void)[] = []
  let open = 0
  const slow: Backend = {
    ...backend,
    watch: async (uri) =>
      new Promise((resolve) => {
        starts.push(() => {
          open += 1
          resolve({ uri, unwatch: () => (open -= 1) })
        })
      }),
  }
  const channel: Channel = { request: async () => ({}), notify: () => undefined }
  const session = new LegacySession({
    id: 's',
    backend: slow,
    arrival: ARRIVAL,
    standing: channel,
  })
  const send = async (method: string) =>
    session.handle(method, { uri: 'x:y' }, { signal: new Canceller(), channel })
  const first = send('resources/subscribe')
  await send('resources/unsubscribe')
  const second = send('resources/subscribe')
  for (const start of starts) start()
  await Promise.all([first, second])
  expect(open).toBe(1)
  session.close()
  expect(open).toBe(0)
})
