import { expect, it } from 'vitest'
import { aClient, anUpstream } from '../../../test/support/a-call.ts'
import { aTool, cached, read } from '../../../test/support/cached.ts'
import { ExactNumber } from '../../base/json/exact-json.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Upstream } from '../upstream.ts'

const of = (server: string, name: string) =>
  read({}, { upstream: anUpstream({ name: server }), tool: { ...aTool(name), server } })

const from = (path: string, kind: Upstream['kind']) =>
  read(
    {},
    {
      upstream: anUpstream({ name: 'pg', kind }),
      client: aClient({ project: async () => ({ path, source: 'roots' }) }),
    },
  )

const helperOf = (parent: string) =>
  read({ a: 1 }, { agent: { id: 'helper', proof: 'handle', ancestors: [parent] } })

it('answers from memory while the result is fresh, whatever the order of the arguments', async () => {
  const { handle, asked, pass } = cached()
  const first = await handle(read({ a: 1, b: { c: 2, d: 3 } }))
  const again = read({ b: { d: 3, c: 2 }, a: 1 })
  expect(await handle(again)).toBe(first)
  expect(again.event.cache).toBe('hit')
  pass(1001)
  const later = read({ a: 1, b: { c: 2, d: 3 } })
  await handle(later)
  expect(later.event.cache).toBe('miss')
  expect(asked()).toBe(2)
})

it('asks again when one of several arguments differs, however deep it stands', async () => {
  const { handle, asked } = cached()
  const questions = [
    { a: 1, b: { c: 2, d: 3 } },
    { a: 2, b: { c: 2, d: 3 } },
    { a: 1, b: { c: 2, d: 4 } },
    { a: 1, b: { c: 2, e: 3 } },
    { a: 1 },
    {},
  ]
  for (const args of questions) await handle(read(args))
  expect(asked()).toBe(questions.length)
})

it('takes a default of an API that is sent for one that is left out, and of no other server', async () => {
  const { handle, asked } = cached()
  const properties = { page: { type: 'integer', default: 1 }, q: { type: 'string' } }
  const search = { ...aTool('search'), definition: { inputSchema: { properties } } }
  const ask = (kind: Upstream['kind'], args: Record<string, unknown>) =>
    read(args, { upstream: anUpstream({ name: kind, kind }), tool: search })
  const first = await handle(ask('openapi', { q: 'a' }))
  expect(await handle(ask('openapi', { q: 'a', page: 1 }))).toMatchObject(first)
  await handle(ask('openapi', { q: 'a', page: 2 }))
  expect(asked()).toBe(2)
  await handle(ask('http', { q: 'a' }))
  await handle(ask('http', { q: 'a', page: 1 }))
  expect(asked()).toBe(4)
})

it('keeps apart the tools of a server, and what is no tool at all', async () => {
  const { handle, asked } = cached({ defaultMs: 1000, shared: true })
  const first = await handle(of('crm', 'list_users'))
  expect(await handle(of('crm', 'list_secrets'))).not.toBe(first)
  expect(await handle(of('crm', 'list_users'))).toBe(first)
  expect(asked()).toBe(2)
})

it('keeps apart two servers whose tools have the same dotted name', async () => {
  const { handle, asked } = cached({ defaultMs: 1000, shared: true })
  const first = await handle(of('crm', 'public.list'))
  expect(await handle(of('crm.public', 'list'))).not.toBe(first)
  expect(await handle(of('crm', 'public.list'))).toBe(first)
  expect(asked()).toBe(2)
})

it('keeps apart the projects that a server may look at, but not those an API never sees', async () => {
  const { handle, asked } = cached()
  await handle(from('/one', 'in-process'))
  await handle(from('/two', 'in-process'))
  await handle(from('/one', 'in-process'))
  expect(asked()).toBe(2)
  await handle(from('/one', 'openapi'))
  await handle(from('/two', 'openapi'))
  expect(asked()).toBe(3)
})

it('keeps apart the sub-agents of one name that two agents have', async () => {
  const { handle, asked } = cached()
  await handle(helperOf('ada'))
  await handle(helperOf('eve'))
  await handle(read({ a: 1 }, { agent: { id: 'helper', proof: 'key' } }))
  expect(asked()).toBe(3)
})

it('keeps the results of agents apart unless the rule or the upstream shares them', async () => {
  const bob = { agent: { id: 'bob', proof: 'key' } as const }
  const apart = cached()
  await apart.handle(read({}))
  await apart.handle(read({}, bob))
  expect(apart.asked()).toBe(2)

  const shared = cached({ defaultMs: 1000, shared: true })
  await shared.handle(read({}))
  await shared.handle(read({}, bob))
  expect(shared.asked()).toBe(1)

  const published = cached()
  published.become(async () => ({ content: [], cacheScope: 'public' }))
  await published.handle(read({}))
  await published.handle(read({}, bob))
  expect(published.asked()).toBe(1)

  const secret = cached({ defaultMs: 1000, shared: true })
  secret.become(async () => ({ content: [], cacheScope: 'private' }))
  await secret.handle(read({}))
  await secret.handle(read({}, bob))
  expect(secret.asked()).toBe(2)
})

it('does not take the result of one identifier for that of another that shares its double', async () => {
  const { handle, asked } = cached()
  await handle(read({ id: new ExactNumber('9007199254740993') }))
  await handle(read({ id: 9007199254740992 }))
  expect(asked()).toBe(2)
  await handle(read({ id: new ExactNumber('9007199254740993') }))
  expect(asked()).toBe(2)
})

it('gives what one client was asked and answered to nobody else', async () => {
  const { handle, asked, become } = cached()
  become(async ({ params }) => ({ content: [params['inputResponses'] ?? 'none'] }))
  const answering = async (inputResponses: JsonObject) =>
    handle(read({}, { params: { name: 'query', arguments: {}, inputResponses } }))
  expect(await handle(read({}))).toEqual({ content: ['none'] })
  for (const name of ['Ada', 'Grace'])
    expect(await answering({ name })).toEqual({ content: [{ name }] })
  expect(await handle(read({}))).toEqual({ content: ['none'] })
  expect(asked()).toBe(3)
})

it('keeps nothing longer than the sign-in or the key it was obtained with, and never shares it', async () => {
  const { handle, asked } = cached({ defaultMs: 1000, shared: true })
  let credentials: string | undefined = 'first'
  const upstream = anUpstream({ name: 'pg', credentials: () => credentials })
  const ask = async (id = 'ada') =>
    handle(read({}, { upstream, agent: { id, proof: 'key', key: id } }))
  const first = await ask()
  expect(await ask()).toBe(first)
  expect(await ask('bob')).not.toBe(first)
  for (const next of ['second', undefined]) {
    credentials = next
    expect(await ask()).not.toBe(first)
  }
  expect(asked()).toBe(4)
})
