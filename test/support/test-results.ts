import { Flights } from '../../src/gateway/state/flights.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Authorized, CallResult } from '../../src/gateway/call.ts'
import { type CacheRule, cache } from '../../src/gateway/layers/cache.ts'
import type { Results } from '../../src/gateway/state/results.ts'
import { toText } from '../../src/protocol/raw-text.ts'
import { aCall, anUpstream } from './a-call.ts'
import { deferred } from './deferred.ts'

export const RESULT_LIMITS = { maxEntries: 100, maxBytes: 1 << 20, staleMs: 0 }

let servers = 0

/** Makes calls of a tool that reads, or changes something, on the given server. */
export function callOf(server: string) {
  return (args: Record<string, unknown>, parts: Partial<Authorized> = {}, readOnly = true) =>
    aCall({
      upstream: anUpstream({ name: server }),
      tool: { server, name: 'query', definition: { name: 'query' }, readOnly },
      params: { name: 'query', arguments: args },
      ...parts,
    })
}

export interface Asking {
  readonly handle: (call: Authorized) => Promise<CallResult>
  readonly asked: () => number
  readonly become: (outcome: (call: Authorized) => Promise<CallResult>) => void
}

/** The cache layer over these results, and the server behind it. */
export function asking(
  results: Results,
  rule: CacheRule = { defaultMs: 5000, shared: false },
): Asking {
  let asked = 0
  let outcome: (call: Authorized) => Promise<CallResult> = async () => ({ content: [asked] })
  const rules = { rule: ({ tool }: Authorized) => (tool?.readOnly ? rule : undefined) }
  const layer = cache({ results, flights: new Flights() }, rules)
  return {
    handle: layer(async (call) => {
      asked += 1
      return outcome(call)
    }),
    asked: () => asked,
    become: (next) => (outcome = next),
  }
}

export const nextServer = () => `server-${process.pid}-${(servers += 1)}`

/** Tests that all result caches must pass, with the real clock. */
export function testResults(
  kind: string,
  open: (limits: Partial<typeof RESULT_LIMITS>) => Results,
): void {
  describe(`results: ${kind}`, () => {
    it('answers from what is kept while it is fresh', async () => {
      const { handle, asked } = asking(open({}), { defaultMs: 150, shared: false })
      const read = callOf(nextServer())
      const first = await handle(read({ a: 1, b: { c: 2, d: 3 } }))
      const again = read({ b: { d: 3, c: 2 }, a: 1 })
      expect(await handle(again)).toEqual(first)
      expect(again.event.cache).toBe('hit')
      await sleep(200)
      await handle(read({ a: 1, b: { c: 2, d: 3 } }))
      expect(asked()).toBe(2)
    })

    it('keeps agents apart unless the rule shares', async () => {
      const bob = { agent: { id: 'bob', proof: 'key' } as const }
      const results = open({})
      const [apart, shared] = [asking(results), asking(results, { defaultMs: 5000, shared: true })]
      const [one, other] = [callOf(nextServer()), callOf(nextServer())]
      await apart.handle(one({}))
      await apart.handle(one({}, bob))
      expect(apart.asked()).toBe(2)
      await shared.handle(other({}))
      await shared.handle(other({}, bob))
      expect(shared.asked()).toBe(1)
    })

    it('forgets a server where something was changed, and no other', async () => {
      const { handle, asked } = asking(open({}))
      const [read, other] = [callOf(nextServer()), callOf(nextServer())]
      await handle(read({}))
      await handle(other({}))
      await handle(read({}, {}, false))
      await handle(read({}))
      await handle(other({}))
      expect(asked()).toBe(4)
    })

    it('does not keep what was asked for before a change', async () => {
      const { handle, asked, become } = asking(open({}))
      const read = callOf(nextServer())
      const slow = deferred<CallResult>()
      become(async () => slow.promise)
      const before = handle(read({}))
      await expect.poll(asked).toBe(1)
      become(async () => ({ content: ['new'] }))
      await handle(read({}, {}, false))
      slow.resolve({ content: ['old'] })
      expect(await before).toEqual({ content: ['old'] })
      expect(await handle(read({}))).toEqual({ content: ['new'] })
    })

    it('never keeps an error', async () => {
      const { handle, become } = asking(open({}))
      const read = callOf(nextServer())
      become(async () => ({ content: [], isError: true }))
      await handle(read({}))
      become(async () => Promise.reject(new Error('down')))
      await expect(handle(read({}))).rejects.toThrow('down')
      become(async () => ({ content: ['well'] }))
      expect(await handle(read({}))).toEqual({ content: ['well'] })
    })

    it('asks again for who wants no cache, and keeps the new answer', async () => {
      const { handle, asked } = asking(open({}))
      const read = callOf(nextServer())
      await handle(read({}))
      const fresh = await handle(read({}, { options: { noCache: true } }))
      expect(asked()).toBe(2)
      expect(await handle(read({}))).toEqual(fresh)
    })

    it('asks once for callers who want the same at the same time', async () => {
      const { handle, asked, become } = asking(open({}))
      const read = callOf(nextServer())
      const once = deferred<CallResult>()
      become(async () => once.promise)
      const calls = Array.from({ length: 20 }, async () => handle(read({})))
      await expect.poll(asked).toBe(1)
      once.resolve({ content: ['once'] })
      expect(new Set((await Promise.all(calls)).map(toText))).toEqual(
        new Set(['{"content":["once"]}']),
      )
      expect(asked()).toBe(1)
    })

    it('lets an old result stand in for a failing server when that is allowed', async () => {
      const results = open({ staleMs: 60_000 })
      const { handle, become } = asking(results, { defaultMs: 50, shared: false })
      const read = callOf(nextServer())
      const first = await handle(read({}))
      await sleep(80)
      become(async () => Promise.reject(new Error('down')))
      expect(await handle(read({}))).toEqual(first)
    })
  })
}
