import type { Authorized, CallResult } from '../../src/gateway/call.ts'
import { type CacheRule, cache } from '../../src/gateway/layers/cache.ts'
import { Flights } from '../../src/gateway/state/flights.ts'
import { ResultCache } from '../../src/gateway/state/result-cache.ts'
import type { Tool } from '../../src/gateway/upstream.ts'
import { aCall, anUpstream } from './a-call.ts'

export const aTool = (name: string, readOnly = true): Tool => ({
  server: 'pg',
  name,
  definition: { name },
  readOnly,
})

/** A read call of one tool; a test only names the parts it is about. */
export function read(args: Record<string, unknown>, parts: Partial<Authorized> = {}): Authorized {
  return aCall({
    upstream: anUpstream({ name: 'pg' }),
    tool: aTool('query'),
    params: { name: 'query', arguments: args },
    ...parts,
  })
}

/** The cache layer over a server that the test defines, with a clock that the test moves. */
export function cached(rule: CacheRule = { defaultMs: 1000, shared: false }, staleMs = 0) {
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
