import { describe, expect, it, afterEach, beforeEach, vi } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { aLink } from '../../test/support/a-link.ts'
import type { Link } from './link.ts'
import { createLinkEvents, Relisting } from './link-events.ts'

function someEvents(live: Link | undefined = aLink()) {
  const seen: unknown[][] = []
  const events = createLinkEvents({
    known: { sawQuestion: () => void seen.push(['question']) },
    relist: async () => (seen.push(['relist']), Promise.reject(new Error('down'))),
    project: async () => ({ path: '/home/ada/shop', source: 'env' }),
    live: () => live,
    emit: (...args) => void seen.push(['emit', ...args]),
    acknowledged: (link) => void seen.push(['acknowledged', link]),
    log: (line) => void seen.push(['log', line]),
  })
  const tell = (method: string) => events.notification(method, { x: 1 }, undefined)
  return { seen, events, tell, live }
}

describe('a message of a server', () => {
  it.each(['tools', 'prompts', 'resources'])(
    'that its %s have changed lists them again',
    (kind) => {
      const { seen, tell } = someEvents()
      tell(`notifications/${kind}/list_changed`)
      expect(seen).toEqual([['relist']])
    },
  )

  it('about subscriptions is for us alone', () => {
    const { seen, tell, live } = someEvents()
    tell('notifications/subscriptions/acknowledged')
    tell('notifications/subscriptions/other')
    expect(seen).toEqual([['acknowledged', live]])
  })

  it.each(['notifications/progress', 'notifications/cancelled'])(
    'with %s of a request that has ended reaches no client, because their ids are others',
    (method) => {
      const { seen, events } = someEvents()
      events.notification(method, { progressToken: 7, requestId: 7 }, undefined)
      const notify = () => seen.push(['notified'])
      events.notification(method, { progressToken: 7, requestId: 7 }, aClient({ notify }))
      expect(seen).toEqual([])
    },
  )

  it('that has come too late changes nothing', () => {
    const gone = createLinkEvents({
      known: { sawQuestion: () => undefined },
      relist: async () => Promise.reject(new Error('no')),
      project: async () => ({ path: '/', source: 'cwd' }),
      live: () => undefined,
      emit: () => undefined,
      acknowledged: () => expect.unreachable(),
      log: () => undefined,
    })
    gone.notification('notifications/subscriptions/acknowledged', {}, undefined)
  })

  it('is a question to the client it belongs to, or is answered here where there is none', async () => {
    const { seen, events } = someEvents()
    const signal = new AbortController().signal
    const roots = { roots: [{ uri: 'file:///home/ada/shop', name: 'shop' }] }
    expect(
      await events.request('roots/list', {}, { signal, origin: async () => undefined }),
    ).toEqual(roots)
    const client = aClient({ capabilities: { sampling: {} }, request: async () => ({ text: 'x' }) })
    const origin = async () => client
    expect(await events.request('sampling/createMessage', {}, { signal, origin })).toEqual({
      text: 'x',
    })
    expect(seen).toEqual([['question'], ['question']])
  })

  it('hears of the progress of its question, under its own token', async () => {
    const told: unknown[] = []
    const { events } = someEvents(aLink({ notify: (...args) => void told.push(args) }))
    const client = aClient({
      capabilities: { sampling: {} },
      async request(_method, _params, options) {
        options?.onProgress?.({ progressToken: 1, progress: 0.5 })
        return {}
      },
    })
    const question = { signal: new AbortController().signal, origin: async () => client }
    const params = { _meta: { progressToken: 'its own' } }
    await events.request('sampling/createMessage', params, question)
    expect(told).toEqual([['notifications/progress', { progressToken: 'its own', progress: 0.5 }]])
    await events.request('sampling/createMessage', {}, question)
    expect(told).toHaveLength(1)
  })
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('lists the first change at once, and those after it in one go', async () => {
  let listed = 0
  const relisting = new Relisting(async () => void (listed += 1))
  relisting.changed()
  expect(listed).toBe(1)
  for (let change = 0; change < 10; change += 1) relisting.changed()
  await vi.advanceTimersByTimeAsync(249)
  expect(listed).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(listed).toBe(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(listed).toBe(2)
  relisting.changed()
  expect(listed, 'after a while without changes').toBe(3)
})

it('lists a server ever more rarely that says so whenever it is listed, and loses no change', async () => {
  let listed = 0
  let talks = true
  const relisting: Relisting = new Relisting(async () => {
    listed += 1
    if (talks) relisting.changed()
  })
  relisting.changed()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(listed).toBe(5)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(listed).toBeLessThan(30)
  talks = false
  relisting.changed()
  const before = listed
  await vi.advanceTimersByTimeAsync(30_000)
  expect(listed).toBe(before + 1)
})

it('goes on after a listing that failed', async () => {
  let listed = 0
  const relisting = new Relisting(async () => {
    listed += 1
    throw new Error('down')
  })
  relisting.changed()
  await vi.advanceTimersByTimeAsync(250)
  relisting.changed()
  expect(listed).toBe(2)
})
