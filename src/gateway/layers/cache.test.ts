import { ExactNumber } from '../../base/exact-json.ts'
import type { Signal } from '../../base/signal.ts'
import { GatewayError } from '../errors.ts'
import { expect, it } from 'vitest'
import { aCall, aClient, anUpstream } from '../../../test/support/a-call.ts'
import { deferred } from '../../../test/support/deferred.ts'
import type { Authorized, CallResult } from '../call.ts'
import { Flights } from '../state/flights.ts'
import { ResultCache } from '../state/result-cache.ts'
import type { Tool, Upstream } from '../upstream.ts'
import { type CacheRule, cache } from './cache.ts'

const aTool = (name: string, readOnly = true): Tool => ({
  server: 'pg',
  name,
  definition: { name },
  readOnly,
})

function read(args: Record<string, unknown>, parts: Partial<Authorized> = {}): Authorized {
  return aCall({
    upstream: anUpstream({ name: 'pg' }),
    tool: aTool('query'),
    params: { name: 'query', arguments: args },
    ...parts,
  })
}

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

function setup(rule: CacheRule = { ttlMs: 1000, shared: false }, staleMs = 0) {
  let now = 0
  let asked = 0
  let outcome: (call: Authorized) => Promise<CallResult> = async () => ({ content: [asked] })
  const results = new ResultCache({ maxEntries: 100, maxBytes: 1 << 20, staleMs, now: () => now })
  const handle = cache(
    { results, flights: new Flights() },
    { rule: (call) => (call.tool?.readOnly ? rule : undefined) },
  )(async (call) => {
    asked++
    return outcome(call)
  })
  return {
    handle,
    results,
    asked: () => asked,
    become: (next: typeof outcome) => (outcome = next),
    pass: (ms: number) => (now += ms),
  }
}

it('answers from memory while the result is fresh, whatever the order of the arguments', async () => {
  const { handle, asked, pass } = setup()
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

it('keeps apart two servers whose tools have the same dotted name', async () => {
  const { handle, asked } = setup({ ttlMs: 1000, shared: true })
  const first = await handle(of('crm', 'public.list'))
  expect(await handle(of('crm.public', 'list'))).not.toBe(first)
  expect(await handle(of('crm', 'public.list'))).toBe(first)
  expect(asked()).toBe(2)
})

it('keeps apart the projects that a server may look at, but not those an API never sees', async () => {
  const { handle, asked } = setup()
  await handle(from('/one', 'in-process'))
  await handle(from('/two', 'in-process'))
  await handle(from('/one', 'in-process'))
  expect(asked()).toBe(2)
  await handle(from('/one', 'openapi'))
  await handle(from('/two', 'openapi'))
  expect(asked()).toBe(3)
})

it('keeps apart the sub-agents of one name that two agents have', async () => {
  const { handle, asked } = setup()
  const helperOf = (parent: string) =>
    read({ a: 1 }, { agent: { id: 'helper', proof: 'handle', ancestors: [parent] } })
  await handle(helperOf('ada'))
  await handle(helperOf('eve'))
  await handle(read({ a: 1 }, { agent: { id: 'helper', proof: 'key' } }))
  expect(asked()).toBe(3)
})

it('keeps the results of agents apart unless the rule or the upstream shares them', async () => {
  const bob = { agent: { id: 'bob', proof: 'key' } as const }
  const apart = setup()
  await apart.handle(read({}))
  await apart.handle(read({}, bob))
  expect(apart.asked()).toBe(2)

  const shared = setup({ ttlMs: 1000, shared: true })
  await shared.handle(read({}))
  await shared.handle(read({}, bob))
  expect(shared.asked()).toBe(1)

  const published = setup()
  published.become(async () => ({ content: [], cacheScope: 'public' }))
  await published.handle(read({}))
  await published.handle(read({}, bob))
  expect(published.asked()).toBe(1)

  const secret = setup({ ttlMs: 1000, shared: true })
  secret.become(async () => ({ content: [], cacheScope: 'private' }))
  await secret.handle(read({}))
  await secret.handle(read({}, bob))
  expect(secret.asked()).toBe(2)
})

it('goes by the time to live that the upstream gives', async () => {
  const { handle, asked, become, pass } = setup()
  become(async () => ({ content: [], ttlMs: 5000 }))
  await handle(read({}))
  pass(4000)
  await handle(read({}))
  expect(asked()).toBe(1)
  become(async () => ({ content: [], ttlMs: 0 }))
  await handle(read({ other: 1 }))
  await handle(read({ other: 1 }))
  expect(asked()).toBe(3)
})

it('never keeps an error, neither thrown nor answered', async () => {
  const { handle, asked, become } = setup()
  become(async () => ({ content: [], isError: true }))
  await handle(read({}))
  become(async () => {
    throw new Error('down')
  })
  await expect(handle(read({}))).rejects.toThrow('down')
  become(async () => ({ content: ['well'] }))
  expect(await handle(read({}))).toEqual({ content: ['well'] })
  expect(asked()).toBe(3)
})

it('asks anew when the caller wants no cache, and remembers the new answer', async () => {
  const { handle, asked } = setup()
  await handle(read({}))
  const fresh = await handle(read({}, { options: { noCache: true } }))
  expect(asked()).toBe(2)
  expect(await handle(read({}))).toBe(fresh)
})

it('forgets what it knows of a server when a call changes something there', async () => {
  const { handle, asked } = setup()
  await handle(read({}))
  await handle(read({}, { tool: aTool('insert', false) }))
  await handle(read({}))
  expect(asked()).toBe(3)
})

it('sends one request for callers who ask the same at the same time', async () => {
  const { handle, asked, become } = setup()
  const once = deferred<CallResult>()
  become(async () => once.promise)
  const calls = Array.from({ length: 20 }, async () => handle(read({})))
  await Promise.resolve()
  once.resolve({ content: ['once'] })
  expect(new Set(await Promise.all(calls)).size).toBe(1)
  expect(asked()).toBe(1)
})

it('goes on for the others when one caller leaves, and aborts when the last has left', async () => {
  const { handle, become, asked } = setup()
  let upstream: Signal | undefined
  const late = deferred<CallResult>()
  become(async (call) => {
    upstream = call.signal
    return late.promise
  })
  const leaver = new AbortController()
  const left = handle(read({}, { signal: leaver.signal }))
  const stays = handle(read({}))
  await expect.poll(asked).toBe(1)
  leaver.abort()
  await expect(left).rejects.toThrow('aborted')
  expect(upstream?.aborted).toBe(false)
  late.resolve({ content: ['late'] })
  expect(await stays).toEqual({ content: ['late'] })

  become(async (call) => {
    upstream = call.signal
    return deferred<CallResult>().promise
  })
  const last = new AbortController()
  const alone = handle(read({ other: 1 }, { signal: last.signal }))
  await expect.poll(asked).toBe(2)
  last.abort()
  await expect(alone).rejects.toThrow('aborted')
  expect(upstream?.aborted).toBe(true)
  become(async () => ({ content: ['new'] }))
  expect(await handle(read({ other: 1 }))).toEqual({ content: ['new'] })
  expect(asked()).toBe(3)
})

it('lets an old result stand in for a failing server when that is allowed', async () => {
  const { handle, become, pass } = setup({ ttlMs: 1000, shared: false }, 60_000)
  const first = await handle(read({}))
  pass(2000)
  become(async () => {
    throw new Error('down')
  })
  expect(await handle(read({}))).toBe(first)
  pass(60_000)
  await expect(handle(read({}))).rejects.toThrow('down')
})

it('holds no more than its bytes and counts hits and misses', async () => {
  const { handle, become, results } = setup()
  become(async () => ({ content: [{ type: 'text', text: 'x'.repeat(100_000) }] }))
  for (let i = 0; i < 50; i++) await handle(read({ i }))
  await handle(read({ i: 49 }))
  expect(results.stats).toMatchObject({ hits: 1, misses: 50 })
  expect(results.stats.bytes).toBeLessThanOrEqual(1 << 20)
  expect(results.stats.entries).toBeLessThan(12)
})

it('does not take the result of one identifier for that of another that shares its double', async () => {
  const { handle, asked } = setup()
  await handle(read({ id: new ExactNumber('9007199254740993') }))
  await handle(read({ id: 9007199254740992 }))
  expect(asked()).toBe(2)
  await handle(read({ id: new ExactNumber('9007199254740993') }))
  expect(asked()).toBe(2)
})

it('gives what it last had while the circuit of the server is open, and not for a refusal', async () => {
  const { handle, become, pass } = setup({ ttlMs: 1000, shared: false }, 60_000)
  const first = await handle(read({ a: 1 }))
  pass(1_001)
  become(async () => {
    throw new GatewayError('CIRCUIT_OPEN', 'temporarily disabled')
  })
  expect(await handle(read({ a: 1 }))).toBe(first)
  await expect(handle(read({ a: 2 }))).rejects.toThrow('temporarily disabled')
  become(async () => {
    throw new GatewayError('DENIED_BY_POLICY', 'no')
  })
  await expect(handle(read({ a: 1 }))).rejects.toThrow('no')
})

const withTasks = aClient({ capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } })

it('neither stores a task nor gives it to two callers who ask the same at once', async () => {
  const { handle, become } = setup({ ttlMs: 1000, shared: true })
  let made = 0
  become(async () => ({ resultType: 'task', taskId: `t${++made}`, status: 'working' }))
  const [one, two] = await Promise.all([
    handle(read({}, { client: withTasks })),
    handle(read({}, { client: withTasks })),
  ])
  expect([one['taskId'], two['taskId']]).toEqual(['t1', 't2'])
  expect((await handle(read({}, { client: withTasks })))['taskId']).toBe('t3')
  become(async () => ({ task: { taskId: 'old', status: 'working' } }))
  const asking = { client: aClient(), params: { name: 'query', arguments: {}, task: {} } }
  await handle(read({}, asking))
  become(async () => ({ content: ['whole'] }))
  expect(await handle(read({}))).toEqual({ content: ['whole'] })
  // What is stored is good for a client with tasks as well.
  become(async () => ({ content: ['newer'] }))
  expect(await handle(read({}, { client: withTasks }))).toEqual({ content: ['whole'] })
})

it('asks a server about its task every time, and forgets what the task has changed', async () => {
  const { handle, asked, become } = setup()
  await handle(read({}))
  const about = read(
    {},
    { method: 'tasks/get', params: { taskId: 't' }, tool: aTool('write', false) },
  )
  become(async () => ({ taskId: 't', status: 'working' }))
  await handle(about)
  await handle(about)
  expect(asked()).toBe(3)
  await handle(read({}))
  expect(asked(), 'still stored').toBe(3)
  become(async () => ({ taskId: 't', status: 'completed', result: {} }))
  await handle(about)
  await handle(read({}))
  expect(asked()).toBe(5)
})
