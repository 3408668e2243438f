import { isObject, canonicalJson } from '../../base/json.ts'
import { OPERATE } from '../../protocol/operate.ts'
import type { Agent, Authorized, CallResult } from '../call.ts'
import type { Flights } from '../flights.ts'
import { isUnanswered } from '../outage.ts'
import type { Layer } from '../pipeline.ts'
import { lineageOf } from '../policy.ts'
import { type Deadlines, timeOf, withLeft } from './deadline.ts'
import type { Kept, Results } from '../results.ts'
import { toolKey } from '../tool-ref.ts'
import type { Upstream } from '../upstream.ts'

/** How results of a tool may be kept. */
export interface CacheRule {
  readonly ttlMs: number
  /** Whether one agent's result may be given to another. */
  readonly shared: boolean
}

export interface CacheRules {
  /** Undefined for a tool whose results are not kept. */
  rule(call: Authorized): CacheRule | undefined
  /** Whether results of any tool of a server may be kept, so that changes there matter. */
  keeps?(upstream: Upstream): boolean
}

/** Without a deadline of its own a call waits this long for another replica at most. */
const PATIENCE_MS = 30_000

/** Inside `budget`: it keeps whole results, which every agent then gets trimmed to its own allowance. */
export function cache(
  { results, flights }: { readonly results: Results; readonly flights: Flights<CallResult> },
  rules: CacheRules,
  deadlines?: Deadlines,
): Layer<Authorized, Authorized, CallResult> {
  return (next) => {
    /** What is not kept itself may change what is. */
    async function pass(call: Authorized): Promise<CallResult> {
      if (!changesThings(call)) return next(call)
      try {
        return await next(call)
      } finally {
        const told = results.forget(call.upstream.name)
        if (told) await told
      }
    }

    /** Asks for everybody who wants the same now: here, and on other replicas. */
    async function lead(
      call: Authorized,
      rule: CacheRule,
      { subject, flight }: { readonly subject: string; readonly flight: string },
    ): Promise<CallResult> {
      const server = call.upstream.name
      const generation = results.generation(server)
      const totalMs = timeOf(call, deadlines)
      const turn = await results.turn?.({
        server,
        flight,
        keys: keysOf(subject, call.agent, rule),
        anew: call.wishes.noCache ?? false,
        patienceMs: Math.min((totalMs ?? Infinity) / 2, PATIENCE_MS),
        signal: call.signal,
      })
      if (turn?.result) {
        call.event.cache = 'hit'
        return turn.result
      }
      try {
        const result = await next(withLeft(call, totalMs, turn?.waitedMs ?? 0))
        keep(results, call, { rule, subject }, { result, generation, turn })
        return result
      } finally {
        turn?.end()
      }
    }

    return async (call) => {
      const rule = rules.rule(call)
      if (!rule) return rules.keeps?.(call.upstream) === false ? next(call) : pass(call)
      const subject = await subjectOf(call)
      const keys = keysOf(subject, call.agent, rule)
      if (!call.wishes.noCache) {
        const hit = results.get(keys.own, keys.shared)
        call.event.cache = hit ? 'hit' : 'miss'
        if (hit) return hit
      }
      // Callers with less time must not wait on the clock of one with more.
      const flight = `${keys.own}#${call.wishes.timeoutMs ?? ''}`
      try {
        // Nobody joins a request that was sent before something changed there.
        const joined = `${flight}#${results.generation(call.upstream.name)}`
        return await flights.join(joined, call.signal, async (signal) =>
          lead({ ...call, signal }, rule, { subject, flight }),
        )
      } catch (error) {
        if (!isUnanswered(error)) throw error
        const stale = await results.stale(keys.own, call.upstream.name)
        if (!stale) throw error
        call.event.cache = 'hit'
        return stale
      }
    }
  }
}

function changesThings({ tool, method, params }: Authorized): boolean {
  if (tool !== undefined) return !tool.readOnly
  return method === OPERATE && params['method'] !== 'GET'
}

interface Keys {
  /** Where this agent's result goes. */
  readonly own: string
  /** Where a result for everybody goes: by the rule, or because the upstream calls it public. */
  readonly shared: string
}

/** What the result is of: the tool, its arguments, and the project that the server may look at. */
async function subjectOf({ tool, upstream, method, params, client }: Authorized): Promise<string> {
  const key = toolKey({ server: upstream.name, name: tool?.name ?? method })
  // An API knows nothing of projects; any other server may ask for one.
  const project = upstream.kind === 'openapi' ? '' : (await client.project()).path
  return JSON.stringify([key, project, canonicalJson(params['arguments'] ?? {})])
}

function keysOf(subject: string, agent: Agent, { shared: isShared }: CacheRule): Keys {
  const shared = `*|${subject}`
  return { shared, own: isShared ? shared : `${lineageOf(agent)}|${subject}` }
}

/** Keeps an answer, never an error; what the upstream itself says about keeping it wins. */
function keep(
  results: Results,
  call: Authorized,
  { rule, subject }: { readonly rule: CacheRule; readonly subject: string },
  got: Pick<Kept, 'result' | 'generation' | 'turn'>,
): void {
  const { result } = got
  if (result['isError'] === true || result['resultType'] === 'input_required') return
  const { ttlMs = rule.ttlMs, scope } = wishesOf(result)
  if (ttlMs <= 0) return
  const shared = scope === undefined ? rule.shared : scope === 'public'
  const keys = keysOf(subject, call.agent, { ttlMs, shared })
  results.set(keys.own, { ...got, server: call.upstream.name, ttlMs })
}

function wishesOf(result: CallResult): { ttlMs?: number; scope?: unknown } {
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const ttlMs = result['ttlMs'] ?? meta['ttlMs']
  const scope = result['cacheScope'] ?? meta['cacheScope']
  return { ...(typeof ttlMs === 'number' && { ttlMs }), ...(scope !== undefined && { scope }) }
}
