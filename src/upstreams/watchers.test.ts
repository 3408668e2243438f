import { expect, it } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { type TestLink, aLink } from '../../test/support/a-link.ts'
import { Watchers } from './watchers.ts'

const standing = (key: string, link: TestLink) => ({
  key,
  live: () => link,
  link: async () => link,
})

const methods = ({ sent }: TestLink) => sent.map(({ method }) => method)

it('watches each resource on the connection of its client', async () => {
  const watchers = new Watchers({ missed: () => undefined, resumed: () => undefined })
  const [one, other] = [aLink(), aLink()]
  const unwatch = await watchers.watch('file:///a', aClient(), standing('one', one))
  await watchers.watch('file:///a', aClient(), standing('other', other))
  expect([watchers.size, watchers.isWatching('one'), watchers.isWatching('third')]).toEqual([
    2,
    true,
    false,
  ])
  unwatch()
  unwatch()
  expect([watchers.size, watchers.isWatching('one'), watchers.isWatching('other')]).toEqual([
    1,
    false,
    true,
  ])
  expect(methods(one)).toEqual(['resources/subscribe', 'resources/unsubscribe'])
  expect(methods(other)).toEqual(['resources/subscribe'])
})

it('follows a connection that is replaced, where something is watched on it or lists are', async () => {
  const missed: string[] = []
  const watchers = new Watchers({ missed: (uri) => missed.push(uri), resumed: () => undefined })
  const [first, again, modern] = [aLink(), aLink(), aLink({ era: 'modern' })]
  await watchers.watch('file:///a', aClient(), standing('one', first))
  watchers.attach('one', again, false)
  await new Promise((resolve) => setImmediate(resolve))
  expect([methods(again), missed]).toEqual([['resources/subscribe'], ['file:///a']])
  watchers.attach('two', modern, false)
  expect(methods(modern)).toEqual([])
  watchers.attach('two', modern, true)
  expect(methods(modern)).toEqual(['subscriptions/listen'])
  watchers.detach('two')
  expect(modern.sent[0]?.context.signal?.aborted).toBe(true)
})

it('forgets a connection that does not come back, and all when it closes', async () => {
  const watchers = new Watchers({ missed: () => undefined, resumed: () => undefined })
  await watchers.watch('file:///a', aClient(), standing('one', aLink()))
  await watchers.watch('file:///a', aClient(), standing('two', aLink()))
  watchers.forget('one')
  expect([watchers.isWatching('one'), watchers.isWatching('two')]).toEqual([false, true])
  watchers.close()
  expect(watchers.isWatching('two')).toBe(false)
})
