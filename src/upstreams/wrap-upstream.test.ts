import { expect, it } from 'vitest'
import { aClient, aListing, anUpstream } from '../../test/support/a-call.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { wrapUpstream } from './wrap-upstream.ts'

/** A server that has every optional member, and answers each call with its name and arguments. */
function talkative(): { upstream: Upstream; asked: unknown[][] } {
  const asked: unknown[][] = []
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void asked.push([name, ...args])
  const later =
    (name: string) =>
    async (...args: unknown[]) =>
      void asked.push([name, ...args])
  const optional = {
    answer: later('answer'),
    refresh: later('refresh'),
    check: later('check'),
    rootsChanged: note('rootsChanged'),
    isEmpty: async () => true,
    rules: () => ({}),
  }
  const upstream = anUpstream({
    ...optional,
    release: note('release'),
    suspend: note('suspend'),
    close: later('close'),
    async live(...args) {
      asked.push(['live', ...args])
      return upstream.listing
    },
  })
  return { upstream, asked }
}

it('loses no member of the server, and no argument', async () => {
  const { upstream, asked } = talkative()
  const outside = wrapUpstream(upstream, () => ({}))
  expect(Object.keys(outside).toSorted()).toEqual(Object.keys(upstream).toSorted())
  const { signal } = new AbortController()
  const client = aClient()
  await outside.live(client, signal)
  await outside.refresh?.()
  await outside.check?.()
  outside.release('one')
  outside.suspend('two')
  outside.rootsChanged?.('three')
  await outside.close(upstream)
  expect(asked).toEqual([
    ['live', client, signal],
    ['refresh'],
    ['check'],
    ['release', 'one'],
    ['suspend', 'two'],
    ['rootsChanged', 'three'],
    ['close', upstream],
  ])
  expect([await outside.isEmpty?.(), outside.rules?.('t')]).toEqual([true, {}])
})

it('has no member that the server does not have', () => {
  const outside = wrapUpstream(anUpstream(), () => ({}))
  expect(outside).not.toHaveProperty('as')
  expect(outside).not.toHaveProperty('check')
})

it('changes what the wrapper names, for the server and for each person, and follows what changes in it', () => {
  let restarts = 0
  const live = { get: () => restarts, enumerable: true, configurable: true }
  const upstream = Object.defineProperty(anUpstream({ name: 'a' }), 'restarts', live)
  const ofAda = anUpstream({ name: 'a', description: "Ada's" })
  const shared = Object.assign(upstream, { as: () => ofAda })
  const outside = wrapUpstream(shared, (inner) => ({
    get description() {
      return `${inner.description ?? 'nobody'}!`
    },
  }))
  expect(outside.description).toBe('nobody!')
  expect(outside.as?.('ada').description).toBe("Ada's!")
  expect(outside.as?.('ada')).toBe(outside.as?.('ada'))
  restarts = 3
  expect(outside.restarts).toBe(3)
})

it('passes on what the server is and what it is asked', async () => {
  const notified: string[] = []
  const asked: unknown[][] = []
  const upstream = anUpstream({
    status: { state: 'starting' },
    connections: 4,
    output: [{ at: 1, text: 'ready' }],
    listing: aListing('a', ['t']),
    makesCalls: true,
    request: async (...args) => (asked.push(args), { content: ['x'] }),
    watch: async (...args) => (asked.push(args), () => undefined),
    onNotification: (listener) => (listener('notified', {}), () => void notified.push('stopped')),
  })
  const outside = wrapUpstream(upstream, () => ({}))
  expect(outside).toMatchObject({
    status: { state: 'starting' },
    connections: 4,
    output: [{ at: 1, text: 'ready' }],
    makesCalls: true,
  })
  expect(outside.listing).toBe(upstream.listing)
  expect(wrapUpstream(anUpstream(), () => ({}))).not.toHaveProperty('makesCalls')
  const client = aClient()
  const context = { signal: new AbortController().signal, client, agent: 'ada' }
  expect(await outside.request('tools/call', { name: 't' }, context)).toEqual({ content: ['x'] })
  await outside.watch('a:b', client)
  expect(asked).toEqual([
    ['tools/call', { name: 't' }, context],
    ['a:b', client],
  ])
  outside.onNotification((method) => notified.push(method))()
  expect(notified).toEqual(['notified', 'stopped'])
})

it('changes a listing once, whoever it is for, and another one again', async () => {
  let changed = 0
  const [one, other] = [aListing('a'), aListing('a')]
  const inner = anUpstream({ listing: one, live: async () => one, listingFor: () => other })
  const outside = wrapUpstream(
    inner,
    () => ({}),
    (listing) => (changed++, { ...listing, instructions: 'more' }),
  )
  const first = outside.listing
  expect([await outside.live(), outside.listing, changed]).toEqual([first, first, 1])
  expect(first).toMatchObject({ instructions: 'more' })
  const own = outside.listingFor?.(aClient())
  expect(own).toMatchObject({ instructions: 'more' })
  expect(own).not.toBe(first)
  expect(changed).toBe(2)
})
