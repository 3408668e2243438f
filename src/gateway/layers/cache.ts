import { isObject } from '../../protocol/json-rpc.ts'
import type { Authorized, CallResult } from '../call.ts'
import { canonicalJson } from '../canonical-json.ts'
import { Flights } from '../flights.ts'
import { verdictOf } from '../outage.ts'
import type { Layer } from '../pipeline.ts'
import type { ResultCache } from '../result-cache.ts'

/** How results of a tool may be kept. */
export interface CacheRule {
  readonly ttlMs: number
  /** Whether one agent's result may be given to another. */
  readonly shared: boolean
}

export interface CacheRules {
  /** Undefined for a tool whose results are not kept. */
  rule(call: Authorized): CacheRule | undefined
}

/** Inside `budget`: it keeps whole results, which every agent then gets trimmed to its own allowance. */
export function cache(
  results: ResultCache,
  rules: CacheRules,
): Layer<Authorized, Authorized, CallResult> {
  const flights = new Flights<CallResult>()
  return (next) => async (call) => {
    const rule = rules.rule(call)
    if (!rule) {
      if (!changesThings(call)) return next(call)
      const result = await next(call)
      results.forget(call.upstream.name)
      return result
    }
    const keys = keysOf(call, rule)
    if (!call.wishes.noCache) {
      const hit = results.get(keys.own, keys.shared)
      call.event.cache = hit ? 'hit' : 'miss'
      if (hit) return hit
    }
    // Callers with less time must not wait on the clock of one with more.
    const flight = `${keys.own}#${call.wishes.timeoutMs ?? ''}`
    try {
      return await flights.join(flight, call.signal, async (signal) => {
        const result = await next({ ...call, signal })
        keep(results, result, call, rule)
        return result
      })
    } catch (error) {
      const stale = verdictOf(error) === 'outage' ? results.stale(keys.own) : undefined
      if (!stale) throw error
      call.event.cache = 'hit'
      return stale
    }
  }
}

function changesThings({ tool }: Authorized): boolean {
  return tool !== undefined && !tool.readOnly
}

interface Keys {
  /** Where this agent's result goes. */
  readonly own: string
  /** Where a result for everybody goes: by the rule, or because the upstream calls it public. */
  readonly shared: string
}

function keysOf(call: Authorized, rule: CacheRule): Keys {
  const { tool, upstream, agent, params } = call
  const name = `${upstream.name}.${tool?.name ?? call.method}:${canonicalJson(params['arguments'] ?? {})}`
  const shared = `*|${name}`
  return { shared, own: rule.shared ? shared : `${agent.id}|${name}` }
}

/** Keeps an answer, never an error; what the upstream itself says about keeping it wins. */
function keep(results: ResultCache, result: CallResult, call: Authorized, rule: CacheRule): void {
  if (result['isError'] === true || result['resultType'] === 'input_required') return
  const { ttlMs = rule.ttlMs, scope } = wishesOf(result)
  if (ttlMs <= 0) return
  const shared = scope === undefined ? rule.shared : scope === 'public'
  const keys = keysOf(call, { ttlMs, shared })
  results.set(keys.own, call.upstream.name, result, ttlMs)
}

function wishesOf(result: CallResult): { ttlMs?: number; scope?: unknown } {
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const ttlMs = result['ttlMs'] ?? meta['ttlMs']
  const scope = result['cacheScope'] ?? meta['cacheScope']
  return { ...(typeof ttlMs === 'number' && { ttlMs }), ...(scope !== undefined && { scope }) }
}
