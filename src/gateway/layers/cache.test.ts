import { expect, it } from 'vitest'
import { anUpstream } from '../../../test/support/a-call.ts'
import { aTool, cached, read } from '../../../test/support/cached.ts'
import { deferred } from '../../../test/support/deferred.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { OPERATE } from '../../protocol/operate.ts'
import type { Authorized, CallResult } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { Flights } from '../state/flights.ts'
import type { Results, SharedResult, StoredResult, WantedResult } from '../state/results.ts'
import { cache } from './cache.ts'

it('counts a caller who shares the request of another as answered from the cache', async () => {
  const { handle, become } = cached()
  const gate = deferred<CallResult>()
  become(async () => gate.promise)
  const [leader, joiner] = [read({ a: 1 }), read({ a: 1 })]
  const answers = [handle(leader), handle(joiner)]
  gate.resolve({ content: [] })
  await Promise.all(answers)
  expect([leader.event.cache, joiner.event.cache]).toEqual(['miss', 'hit'])
})

it('goes by the time to live that the upstream gives', async () => {
  const { handle, asked, become, pass } = cached()
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

it('does not even keep for an outage what the upstream says must not be kept', async () => {
  const { handle, become } = cached({ defaultMs: 1000, shared: false }, 60_000)
  become(async () => ({ content: [], _meta: { ttlMs: 0 } }))
  await handle(read({}))
  become(async () => {
    throw new Error('down')
  })
  await expect(handle(read({}))).rejects.toThrow('down')
})

it('does not take a question to the client for an answer', async () => {
  const { handle, asked, become } = cached()
  become(async () => ({ resultType: 'input_required', inputRequests: {} }))
  await handle(read({}))
  become(async () => ({ resultType: 'complete', content: [] }))
  await handle(read({}))
  await handle(read({}))
  expect(asked()).toBe(2)
})

it('never keeps an error, neither thrown nor answered', async () => {
  const { handle, asked, become } = cached()
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

it('asks again when the caller wants no cache, and remembers the new answer', async () => {
  const { handle, asked } = cached()
  await handle(read({}))
  const fresh = await handle(read({}, { options: { noCache: true } }))
  expect(asked()).toBe(2)
  expect(await handle(read({}))).toBe(fresh)
})

it('forgets what it knows of a server when a call changes something there', async () => {
  const { handle, asked } = cached()
  await handle(read({}))
  await handle(read({}, { tool: aTool('insert', false) }))
  await handle(read({}))
  expect(asked()).toBe(3)
})

it('forgets neither for a read that is not stored, nor what it knows of another server', async () => {
  const { results } = cached()
  const handle = cache(
    { results, flights: new Flights() },
    {
      rule: ({ tool }) => (tool?.name === 'query' ? { defaultMs: 1000, shared: false } : undefined),
    },
  )(async () => ({ content: [] }))
  const other = { upstream: anUpstream({ name: 'files' }), tool: aTool('query') }
  const kept = await handle(read({}))
  const keptOfOther = await handle(read({}, other))
  await handle(read({}, { tool: aTool('describe') }))
  expect(await handle(read({}))).toBe(kept)
  await handle(read({}, { tool: aTool('insert', false) }))
  expect(await handle(read({}))).not.toBe(kept)
  expect(await handle(read({}, other))).toBe(keptOfOther)
})

it.each([
  ['POST', false],
  ['GET', true],
])('after an operation with %s of an API the answer is kept: %s', async (method, isKept) => {
  const { handle, results } = cached()
  const kept = await handle(read({}))
  await handle(read({}, { tool: undefined, method: OPERATE, params: { method } }))
  expect((await handle(read({}))) === kept).toBe(isKept)
  expect(results.stats.entries).toBe(1)
})

it('forgets nothing where no result of the server may be stored', async () => {
  const { results } = cached()
  const handleWith = (stores: boolean) =>
    cache(
      { results, flights: new Flights() },
      { rule: () => undefined, stores: () => stores },
    )(async () => ({ content: [] }))
  await handleWith(false)(read({}, { tool: aTool('insert', false) }))
  expect(results.generation('pg')).toBe(0)
  await handleWith(true)(read({}, { tool: aTool('insert', false) }))
  expect(results.generation('pg')).toBe(1)
})

it('does not keep a read that began before a write, nor let a later reader join it', async () => {
  const { handle, asked, become } = cached()
  const slow = deferred<CallResult>()
  become(async () => slow.promise)
  const before = handle(read({}))
  await expect.poll(asked).toBe(1)
  become(async () => ({ content: ['after'] }))
  await handle(read({}, { tool: aTool('insert', false) }))
  expect(await handle(read({}))).toEqual({ content: ['after'] })
  slow.resolve({ content: ['before'] })
  expect(await before).toEqual({ content: ['before'] })
  expect(await handle(read({}))).toEqual({ content: ['after'] })
  expect(asked()).toBe(3)
})

it('is not shared with a caller who has less time', async () => {
  const { handle, asked, become } = cached()
  const slow = deferred<CallResult>()
  become(async () => slow.promise)
  const calls = [1_000, 1_000, 50].map(async (timeoutMs) =>
    handle(read({}, { options: { timeoutMs } })),
  )
  await expect.poll(asked).toBe(2)
  slow.resolve({ content: [] })
  await Promise.all(calls)
  expect(asked()).toBe(2)
})

it('sends one request for callers who ask the same at the same time', async () => {
  const { handle, asked, become } = cached()
  const once = deferred<CallResult>()
  become(async () => once.promise)
  const calls = Array.from({ length: 20 }, async () => handle(read({})))
  await Promise.resolve()
  once.resolve({ content: ['once'] })
  expect(new Set(await Promise.all(calls)).size).toBe(1)
  expect(asked()).toBe(1)
})

it('goes on for the others when one caller leaves, and aborts when the last has left', async () => {
  const { handle, become, asked } = cached()
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
  const { handle, become, pass } = cached({ defaultMs: 1000, shared: false }, 60_000)
  const first = await handle(read({}))
  pass(2000)
  become(async () => {
    throw new Error('down')
  })
  const late = read({})
  expect(await handle(late)).toBe(first)
  expect(late.event.cache).toBe('hit')
  become(async () => {
    throw new RpcError(-32602, 'wrong')
  })
  await expect(handle(read({}))).rejects.toThrow('wrong')
  become(async () => {
    throw new Error('down')
  })
  pass(60_000)
  await expect(handle(read({}))).rejects.toThrow('down')
})

it('holds no more than its bytes and counts hits and misses', async () => {
  const { handle, become, results } = cached()
  become(async () => ({ content: [{ type: 'text', text: 'x'.repeat(100_000) }] }))
  for (let i = 0; i < 50; i++) await handle(read({ i }))
  await handle(read({ i: 49 }))
  expect(results.stats).toMatchObject({ hits: 1, misses: 50 })
  expect(results.stats.bytes).toBeLessThanOrEqual(1 << 20)
  expect(results.stats.entries).toBeLessThan(12)
})

it('gives what it last had while the circuit of the server is open, and not for a refusal', async () => {
  const { handle, become, pass } = cached({ defaultMs: 1000, shared: false }, 60_000)
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

/** Results that other replicas have too: `found` is what they answer. */
function withReplicas(found: SharedResult) {
  const wanted: WantedResult[] = []
  const stored: StoredResult[] = []
  const reported = deferred<void>()
  const local = cached().results
  const results: Results = {
    get: (...keys) => local.get(...keys),
    expired: (key) => local.expired(key),
    stale: (key) => local.stale(key),
    set: (_key, result) => stored.push(result),
    generation: (server) => local.generation(server),
    forget: async (server) => {
      local.forget(server)
      return reported.promise
    },
    find: async (request) => {
      wanted.push(request)
      return found
    },
  }
  const sent: Authorized[] = []
  const handle = cache(
    { results, flights: new Flights() },
    { rule: ({ tool }) => (tool?.readOnly ? { defaultMs: 1000, shared: false } : undefined) },
  )(async (call) => {
    sent.push(call)
    return { content: [] }
  })
  return { handle, wanted, stored, sent, reported }
}

it('takes the result of another replica, and sends nothing', async () => {
  const result = { content: ['theirs'] }
  const { handle, wanted, sent } = withReplicas({ result })
  const call = read({ a: 1 })
  expect(await handle(call)).toBe(result)
  expect(call.event.cache).toBe('hit')
  expect(sent).toHaveLength(0)
  expect(wanted).toMatchObject([
    {
      server: 'pg',
      noCache: false,
      keys: {
        own: expect.stringMatching(/^agent:ada\|ada\|/),
        shared: expect.stringMatching(/^\*\|/),
      },
    },
  ])
})

it('stores a result for other replicas with the generation in which it was asked for', async () => {
  const { handle, wanted, stored } = withReplicas({ generation: 'g' })
  await handle(read({}, { options: { noCache: true } }))
  expect(wanted).toMatchObject([{ noCache: true }])
  expect(stored).toMatchObject([{ shared: 'g', ttlMs: 1000 }])
})

it('answers a call that changes something once other replicas know of it', async () => {
  const { handle, reported } = withReplicas({})
  let isOver = false
  const writing = handle(read({}, { tool: aTool('insert', false) })).then(() => (isOver = true))
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  reported.resolve()
  await writing
})
