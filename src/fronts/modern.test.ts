import { expect, it } from 'vitest'
import { deferred } from '../../test/support/deferred.ts'
import { Canceller } from '../base/flow/signal.ts'
import { META, MODERN_VERSION } from '../protocol/versions.ts'
import type { Arrival, Backend } from './backend.ts'
import type { CallRelay } from './call-relay.ts'
import { ModernFront } from './modern.ts'

const ARRIVAL: Arrival = {
  transport: 'http',
  credential: undefined,
  claimedAgent: undefined,
  headers: {},
  surface: undefined,
  projectPath: undefined,
  alone: false,
}

const none = () => undefined

/** A front over a backend of which only the parts that subscriptions use are there. */
function aFront(parts: Partial<Backend>, relay?: CallRelay): ModernFront {
  const backend: Partial<Backend> = {
    methods: new Set(),
    authenticate: none,
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
  arrival: ARRIVAL,
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
