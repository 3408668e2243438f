import { expect, it } from 'vitest'
import { aClient, aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import { expose } from './expose.ts'

it('loses no member of the server, and no argument', async () => {
  const asked: unknown[][] = []
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void asked.push([name, ...args])
  const upstream = anUpstream({
    inProcess: { makesCalls: true, check: async () => undefined, rules: () => ({}) },
    credentials: () => 'key 1',
    listingFor: () => aListing('echo'),
    as: () => upstream,
    sessionChanged: note('sessionChanged'),
    close: async (...args) => note('close')(...args),
    list: async (...args) => (note('list')(...args), upstream.listing),
  })
  const outside = expose(upstream)
  expect(Object.keys(outside).toSorted()).toEqual(Object.keys(upstream).toSorted())
  const how = { client: aClient(), signal: new AbortController().signal, again: true }
  await outside.list(how)
  outside.sessionChanged('one', 'roots_changed')
  await outside.close(upstream)
  expect(asked).toEqual([
    ['list', how],
    ['sessionChanged', 'one', 'roots_changed'],
    ['close', upstream],
  ])
  expect(outside.inProcess).toMatchObject({ makesCalls: true })
  expect(outside.inProcess?.rules?.('t')).toEqual({})
  expect(outside.credentials?.()).toBe('key 1')
})

it('has no member that the server does not have', () => {
  const outside = expose(anUpstream())
  for (const member of ['as', 'inProcess', 'listingFor', 'credentials'])
    expect(outside).not.toHaveProperty(member)
})

it('is the same object for the same person, and follows what changes in the server', () => {
  let status: Upstream['status'] = { state: 'idle' }
  const ofAda = anUpstream({ name: 'a', description: "Ada's" })
  const outside = expose({
    ...anUpstream({ name: 'a', as: () => ofAda }),
    get status() {
      return status
    },
  })
  expect(outside.as?.('ada').description).toBe("Ada's")
  expect(outside.as?.('ada')).toBe(outside.as?.('ada'))
  status = { state: 'starting' }
  expect(outside.status).toBe(status)
})

it('passes on what the server is and what it is asked', async () => {
  const notified: string[] = []
  const asked: unknown[][] = []
  const upstream = anUpstream({
    status: { state: 'starting' },
    listing: aListing('a', ['t']),
    request: async (...args) => (asked.push(args), { content: ['x'] }),
    watch: async (...args) => (asked.push(args), () => undefined),
    onNotification: (listener) => (listener('notified', {}), () => void notified.push('stopped')),
  })
  const outside = expose(upstream)
  expect(outside.status).toEqual({ state: 'starting' })
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
  const [one, other] = [aListing('a'), aListing('a', ['more'])]
  const outside = expose(
    anUpstream({ listing: one, list: async () => one, listingFor: () => other }),
  )
  const first = outside.listing
  expect(await outside.list()).toBe(first)
  expect(outside.listing).toBe(first)
  const own = outside.listingFor?.(aClient())
  expect(own).toMatchObject({ tools: [{ name: 'more' }] })
  expect(outside.listingFor?.(aClient())).toBe(own)
})
