import { expect, it } from 'vitest'
import { AN_ARRIVAL, anIdentity } from '../../test/support/a-backend.ts'
import { deferred } from '../../test/support/deferred.ts'
import { Canceller } from '../base/flow/signal.ts'
import { META, MODERN_VERSION } from '../protocol/versions.ts'
import type { Backend } from './backend.ts'
import type { CallRelay } from './call-relay.ts'
import { ModernFront, type ModernRequest } from './modern.ts'

const none = () => undefined

/** A front over a backend of which only the parts that subscriptions use are there. */
function aFront(parts: Partial<Backend>, relay?: CallRelay): ModernFront {
  const backend: Partial<Backend> = {
    methods: new Set(),
    authenticate: () => anIdentity(),
    onNotification: () => none,
    ...parts,
  }
  // oxlint-disable-next-line no-unsafe-type-assertion -- a subscription asks for nothing else
  return new ModernFront(backend as Backend, relay)
}

const listen = (uris: readonly string[], canceller: Canceller) => ({
  id: 1,
  method: 'subscriptions/listen',
  params: {
    notifications: { resourceSubscriptions: uris },
    _meta: { [META.version]: MODERN_VERSION, [META.clientCapabilities]: {} },
  },
  arrival: AN_ARRIVAL,
  identity: anIdentity('ada'),
  canceller,
  notify: () => {},
})

it('ends a subscription whose client left while its resources were being watched', async () => {
  const watching = deferred<{ uri: string; unwatch: () => void }>()
  let unwatched = 0
  const front = aFront({ watch: async () => watching.promise })
  const canceller = new Canceller()
  const listening = front.handle(listen(['file:///a'], canceller))
  canceller.abort(new Error('The client closed the request'))
  watching.resolve({ uri: 'file:///a', unwatch: () => unwatched++ })
  await listening
  expect([front.listeners, unwatched]).toEqual([0, 1])
})

it('keeps a subscription until its client leaves', async () => {
  const front = aFront({})
  const canceller = new Canceller()
  const listening = front.handle(listen([], canceller))
  await expect.poll(() => front.listeners).toBe(1)
  canceller.abort(new Error('The client closed the request'))
  await listening
  expect(front.listeners).toBe(0)
})

it('watches no resource for a subscription that is refused', async () => {
  const watched: string[] = []
  const watch = async (uri: string) => (watched.push(uri), { uri, unwatch: () => {} })
  const request = listen(['file:///a'], new Canceller())
  const params = {
    ...request.params,
    notifications: { ...request.params.notifications, taskIds: ['1'] },
  }
  const listening = aFront({ watch }).handle({ ...request, params })
  await expect(listening).rejects.toThrow('Missing required client capability')
  expect(watched).toEqual([])
})

it('continues calls for other replicas after its subscriptions have ended', () => {
  const served = new Set<string>()
  const front = aFront(
    {},
    {
      replica: 'a',
      serve: (what) => (served.add(what), () => served.delete(what)),
      forward: async () => ({}),
    },
  )
  front.close()
  expect([...served]).toEqual(['call'])
  front.abandon(new Error('The gateway is shutting down'))
  expect([...served]).toEqual([])
})

const calling = (logLevel: unknown, notify: ModernRequest['notify'] = () => {}) => ({
  id: 1,
  method: 'tools/list',
  params: {
    _meta: {
      [META.version]: MODERN_VERSION,
      [META.clientCapabilities]: {},
      [META.logLevel]: logLevel,
    },
  },
  arrival: AN_ARRIVAL,
  identity: anIdentity('ada'),
  canceller: new Canceller(),
  notify,
})

it('sends a client only messages of the level that its request asks for', async () => {
  const heard: unknown[] = []
  const front = aFront({
    methods: new Set(['tools/list']),
    async handle({ client }) {
      for (const level of ['debug', 'warning', 'error'])
        client.notify('notifications/message', { level })
      return {}
    },
  })
  await front.handle(calling('warning', (_method, { level }) => heard.push(level)))
  expect(heard).toEqual(['warning', 'error'])
})

it.each(['loud', 7])('refuses the unknown log level %s', async (level) => {
  const refused = aFront({ methods: new Set(['tools/list']) }).handle(calling(level))
  await expect(refused).rejects.toMatchObject({ code: -32_602 })
})

it('says that it sends log messages', async () => {
  const front = aFront({
    info: { name: 'test', version: '1' },
    instructions: async () => undefined,
    capabilities: async () => ({ logging: {} }),
  })
  const described = await front.handle({ ...calling('info'), method: 'server/discover' })
  expect(described['capabilities']).toEqual({ logging: {} })
})

it('acknowledges only what it will send', async () => {
  const heard: unknown[] = []
  const front = aFront({
    watch: async (uri) => {
      if (uri === 'file:///b') throw new Error('no such resource')
      return { uri, unwatch: () => {} }
    },
  })
  const canceller = new Canceller()
  const request = listen(['file:///a', 'file:///b'], canceller)
  const notifications = {
    ...request.params.notifications,
    toolsListChanged: true,
    promptsListChanged: false,
    moonListChanged: true,
  }
  const listening = front.handle({
    ...request,
    params: { ...request.params, notifications },
    notify: (_method, params) => heard.push(params['notifications']),
  })
  await expect.poll(() => heard.length).toBe(1)
  expect(heard).toEqual([{ toolsListChanged: true, resourceSubscriptions: ['file:///a'] }])
  canceller.abort(new Error('The client closed the request'))
  await listening
})

it('refuses a subscription that does not say to what', async () => {
  const request = listen([], new Canceller())
  const { _meta } = request.params
  await expect(aFront({}).handle({ ...request, params: { _meta } })).rejects.toMatchObject({
    code: -32_602,
  })
})
