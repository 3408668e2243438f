import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { type TestLink, aLink } from '../../test/support/a-link.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import { TransportError } from './failures.ts'
import { Watcher } from './watcher.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const settled = async () => vi.advanceTimersByTimeAsync(0)

function aWatcher() {
  const missed: string[] = []
  const resumed: unknown[] = []
  const watcher = new Watcher({
    missed: (uri) => missed.push(uri),
    resumed: (link) => resumed.push(link),
  })
  return { watcher, missed, resumed }
}

const sentTo = ({ sent }: TestLink) => sent.map(({ method, params }) => [method, params['uri']])

describe('on a legacy connection', () => {
  it('subscribes for each client, and unsubscribes when the last has left', async () => {
    const { watcher } = aWatcher()
    const link = aLink()
    await watcher.watch('file:///a', link, aClient())
    await watcher.watch('file:///a', link, aClient())
    await watcher.watch('file:///b', link, aClient())
    expect(watcher.size).toBe(2)
    watcher.unwatch('file:///a', link)
    expect(sentTo(link).map(([method]) => method)).not.toContain('resources/unsubscribe')
    watcher.unwatch('file:///a', link)
    watcher.unwatch('file:///a', link)
    expect(sentTo(link).slice(3)).toEqual([['resources/unsubscribe', 'file:///a']])
    watcher.unwatch('file:///b', undefined)
    expect([watcher.size, link.sent.length]).toEqual([0, 4])
  })

  it('does not watch what the server refuses', async () => {
    const { watcher } = aWatcher()
    const link = aLink({}, { 'resources/subscribe': async () => Promise.reject(new Error('no')) })
    await expect(watcher.watch('file:///a', link, aClient())).rejects.toThrow('no')
    expect(watcher.size).toBe(0)
  })

  it('subscribes again on the next connection, and tells of each what may have been missed', async () => {
    const { watcher, missed, resumed } = aWatcher()
    const first = aLink()
    await watcher.watch('file:///a', first, aClient())
    await watcher.watch('file:///b', first, aClient())
    expect(missed).toEqual([])
    const refusesB = aLink(
      {},
      {
        'resources/subscribe': async ({ uri }) =>
          uri === 'file:///b' ? Promise.reject(new Error('gone')) : {},
      },
    )
    watcher.attach(refusesB, true)
    await settled()
    expect(sentTo(refusesB)).toEqual([
      ['resources/subscribe', 'file:///a'],
      ['resources/subscribe', 'file:///b'],
    ])
    expect([missed, resumed]).toEqual([['file:///a'], []])
  })
})

const hanging = () =>
  aLink({ era: 'modern' }, { 'subscriptions/listen': async () => new Promise(() => {}) })
const wanted = ({ sent }: TestLink) => sent.map(({ params }) => params['notifications'])

describe('on a modern connection', () => {
  it('has one stream for lists and resources, which is replaced when they change', async () => {
    const { watcher } = aWatcher()
    const link = hanging()
    watcher.attach(link, true)
    const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
    expect(wanted(link)).toEqual([lists])
    await watcher.watch('file:///a', link, aClient())
    await watcher.watch('file:///a', link, aClient())
    expect(wanted(link).slice(1)).toEqual([{ ...lists, resourceSubscriptions: ['file:///a'] }])
    const [first, second] = link.sent.map(({ context }) => context.signal)
    expect([first?.aborted, second?.aborted], 'until the second is confirmed').toEqual([
      false,
      false,
    ])
    watcher.acknowledged(link)
    expect([first?.aborted, second?.aborted]).toEqual([true, false])
    watcher.unwatch('file:///a', link)
    watcher.unwatch('file:///a', link)
    expect(wanted(link).slice(2)).toEqual([lists])
    watcher.close()
    expect(link.sent.map(({ context }) => context.signal?.aborted)).toEqual([true, true, true])
  })

  it('has no stream where nothing is watched', async () => {
    const { watcher } = aWatcher()
    const link = hanging()
    watcher.attach(link, false)
    expect(link.sent).toEqual([])
    await watcher.watch('file:///a', link, aClient())
    expect(wanted(link)).toEqual([{ resourceSubscriptions: ['file:///a'] }])
    watcher.unwatch('file:///a', link)
    expect(link.sent.map(({ context }) => context.signal?.aborted)).toEqual([true])
  })

  it('tells what may have been missed once the stream of the next connection is confirmed', async () => {
    const { watcher, missed, resumed } = aWatcher()
    const [first, second] = [hanging(), hanging()]
    watcher.attach(first, false)
    watcher.acknowledged(first)
    await watcher.watch('file:///a', first, aClient())
    watcher.acknowledged(first)
    expect([missed, resumed]).toEqual([[], []])
    watcher.attach(second, false)
    expect(missed).toEqual([])
    watcher.acknowledged(second)
    watcher.acknowledged(second)
    expect([missed, resumed]).toEqual([['file:///a'], [second]])
  })

  it('opens a stream that ended again, after one second and then longer, and ten at most', async () => {
    const { watcher, missed } = aWatcher()
    const link = aLink({ era: 'modern' })
    watcher.attach(link, true)
    const pauses: number[] = []
    await settled()
    for (let n = 1; n <= 5; n++) {
      const before = performance.now()
      while (link.sent.length === n) await vi.advanceTimersByTimeAsync(100)
      pauses.push(Math.round((performance.now() - before) / 1000))
    }
    expect(pauses).toEqual([2, 4, 8, 10, 10])
    await watcher.watch('file:///a', link, aClient())
    watcher.acknowledged(link)
    expect(missed).toEqual(['file:///a'])
    watcher.close()
    const { length } = link.sent
    await vi.advanceTimersByTimeAsync(60_000)
    expect(link.sent).toHaveLength(length)
  })

  it('starts over with a short pause after a stream that lasted', async () => {
    const { watcher } = aWatcher()
    const lasting = aLink(
      { era: 'modern' },
      {
        'subscriptions/listen': async () => new Promise((resolve) => setTimeout(resolve, 5_000)),
      },
    )
    watcher.attach(lasting, true)
    await vi.advanceTimersByTimeAsync(5_999)
    expect(lasting.sent).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(lasting.sent).toHaveLength(2)
  })

  it.each([
    ['an answer that says no', new RpcError(-32_601, 'no such method'), 1],
    ['a status of 404', new TransportError('404', { status: 404 }), 1],
    ['a status of 400', new TransportError('400', { status: 400 }), 1],
    ['a status of 500', new TransportError('500', { status: 500 }), 2],
    ['no status at all', new TransportError('reset'), 2],
    ['an answer of another kind', new Error('reset'), 2],
  ])('after %s it asks again only where that can help', async (_, failure, times) => {
    const { watcher } = aWatcher()
    const link = aLink(
      { era: 'modern' },
      { 'subscriptions/listen': async () => Promise.reject(failure) },
    )
    watcher.attach(link, true)
    await vi.advanceTimersByTimeAsync(2_500)
    expect(link.sent).toHaveLength(times)
  })
})
