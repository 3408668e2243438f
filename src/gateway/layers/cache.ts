import { isObject } from '../../base/json/json.ts'
import { type Freshness, freshnessOf, withFreshness } from '../../protocol/freshness.ts'
import { OPERATE } from '../../protocol/operate.ts'
import { declaresTasks, isTaskRequest, isTerminal, taskOf } from '../../protocol/tasks.ts'
import type { Authorized, CallResult } from '../call.ts'
import type { Flights } from '../state/flights.ts'
import { GatewayError } from '../errors.ts'
import { isUnanswered } from '../outage.ts'
import type { Layer } from '../pipeline.ts'
import { type Subject, keysOf, subjectOf } from './cache-keys.ts'
import { aged, dated } from './cache-age.ts'
import type { ExpiredResult, Results, StoredResult } from '../state/results.ts'
import { type Upstream, stateKeyOf } from '../upstream.ts'

/** How results of a tool may be stored. */
export interface CacheRule {
  /** How long, whatever the answer says, unless it forbids it. */
  readonly ttlMs?: number | undefined
  /** How long if the answer does not say; without both, only an answer that says so is stored. */
  readonly defaultMs?: number | undefined
  /** Whether one agent's result may be given to another. */
  readonly shared: boolean
}

export interface CacheRules {
  /** Undefined for a tool whose results are not stored. */
  rule(call: Authorized): CacheRule | undefined
  /** Whether results of any tool of a server may be stored, so that changes there matter. */
  stores?(upstream: Upstream): boolean
}

/**
 * Inside `budget`: it stores whole results; `budget` trims them to the allowance of each agent.
 *
 * ```yaml
 * # portolan.yaml
 * cache: { tools: { docs.search: { ttlMs: 60000, shared: true } } }
 * ```
 */
export function cache(
  { results, flights }: { readonly results: Results; readonly flights: Flights<CallResult> },
  rules: CacheRules,
): Layer<Authorized, Authorized, CallResult> {
  return (next) => {
    /** Sends a call that may make stored results stale, then drops them. */
    async function change(call: Authorized): Promise<CallResult> {
      try {
        return await next(call)
      } finally {
        const reported = results.forget(stateKeyOf(call.upstream))
        if (reported) await reported
      }
    }

    /** Sends one request for all callers of this process who now want the same. */
    async function lead(
      call: Authorized,
      rule: CacheRule,
      { subject, expired }: Question,
    ): Promise<CallResult> {
      const server = stateKeyOf(call.upstream)
      const generation = results.generation(server)
      const found = await results.find?.({
        server,
        keys: keysOf(subject, call.agent, rule.shared),
        noCache: call.options.noCache ?? false,
      })
      if (found?.result) {
        call.event.cache = 'hit'
        return aged(found.result)
      }
      const result = await send(call, expired)
      store(results, call, { rule, subject }, { result, generation, shared: found?.generation })
      return result
    }

    /** Sends a call; an API may answer that the expired result is still right. */
    async function send(call: Authorized, expired?: ExpiredResult): Promise<CallResult> {
      if (!expired) return next(call)
      const { freshness: stored } = expired
      const result = await next({ ...call, options: { ...call.options, stored } })
      const freshness = freshnessOf(result)
      if (!freshness?.notModified) return result
      return withFreshness(aged(dated(expired.result, freshness.madeAt)), freshness)
    }

    /** Sends a call that shares no request: it may become a task, or its result is not to be kept. */
    async function alone(
      call: Authorized,
      rule: CacheRule,
      { subject, expired }: Question,
    ): Promise<CallResult> {
      const generation = results.generation(stateKeyOf(call.upstream))
      const result = await send(call, expired)
      store(results, call, { rule, subject }, { result, generation })
      return result
    }

    /** Stores nothing; an ended task of the server may have made stored results stale. */
    async function askAboutTask(call: Authorized): Promise<CallResult> {
      const result = await next(call)
      if (isTerminal(result) && changesThings(call)) await results.forget(stateKeyOf(call.upstream))
      return result
    }

    /** Joins a request for the same thing that is in flight, or sends one. */
    async function join(
      call: Authorized,
      rule: CacheRule,
      question: Question & { readonly own: string },
    ): Promise<CallResult> {
      const isKept = (rule.ttlMs ?? rule.defaultMs) !== undefined
      if (!isKept || mayBecomeTask(call)) return alone(call, rule, question)
      // A caller with a short timeout must not share a request that has a longer one.
      const timeout = call.options.timeoutMs ?? ''
      // A call does not join a request that was sent before something changed on the server.
      const flight = `${question.own}#${timeout}#${results.generation(stateKeyOf(call.upstream))}`
      let isLeader = false
      const result = await flights.join(flight, call.signal, async (signal) => {
        isLeader = true
        return lead({ ...call, signal }, rule, question)
      })
      if (isLeader) return result
      if (freshnessOf(result)?.noStore) return next(call)
      call.event.cache = 'hit'
      return result
    }

    async function find(call: Authorized, rule: CacheRule): Promise<CallResult> {
      const subject = await subjectOf(call)
      const { own, shared } = keysOf(subject, call.agent, rule.shared)
      let expired: ExpiredResult | undefined
      if (!call.options.noCache) {
        const hit = results.get(own, shared)
        call.event.cache = hit ? 'hit' : 'miss'
        if (hit) return aged(hit)
        expired = results.expired(own) ?? results.expired(shared)
      }
      try {
        return await join(call, rule, { subject, own, expired })
      } catch (error) {
        if (!isUnanswered(error) && !isCircuitOpen(error)) throw error
        const stale = await results.stale(own, stateKeyOf(call.upstream))
        if (!stale) throw error
        call.event.cache = 'hit'
        return aged(stale)
      }
    }

    return (call) => {
      if (call.method === 'tasks/result') return changesThings(call) ? change(call) : next(call)
      if (isTaskRequest(call.method)) return askAboutTask(call)
      const rule = ruleFor(call, rules)
      if (rule) return find(call, rule)
      const makesStale = rules.stores?.(call.upstream) !== false && changesThings(call)
      return makesStale ? change(call) : next(call)
    }
  }
}

interface Question {
  readonly subject: Subject
  /** The result that was stored for it, if its server may confirm it. */
  readonly expired?: ExpiredResult | undefined
}

function mayBecomeTask({ client, params }: Authorized): boolean {
  return declaresTasks(client.capabilities) || isObject(params['task'])
}

/** None for a call with answers of its client: its result depends on more than its arguments. */
function ruleFor(call: Authorized, rules: CacheRules): CacheRule | undefined {
  const { inputResponses, requestState } = call.params
  return (inputResponses ?? requestState) === undefined ? rules.rule(call) : undefined
}

function changesThings({ tool, method, params }: Authorized): boolean {
  if (tool !== undefined) return !tool.readOnly
  return method === OPERATE && params['method'] !== 'GET'
}

/** Stores an answer, never an error. */
function store(
  results: Results,
  call: Authorized,
  { rule, subject }: { readonly rule: CacheRule; readonly subject: Subject },
  got: Pick<StoredResult, 'result' | 'generation' | 'shared'>,
): void {
  const { upstream, agent } = call
  const { result } = got
  const use = result['isError'] === true || !isWhole(result) ? undefined : useOf(result, rule)
  if (!use) return
  const { isShared, ...kept } = use
  results.set(keysOf(subject, agent, isShared).own, {
    ...got,
    ...kept,
    server: stateKeyOf(upstream),
    ...(upstream.kind === 'openapi' && {
      result: dated(result, freshnessOf(result)?.madeAt ?? Date.now()),
    }),
  })
}

type Use = Pick<StoredResult, 'ttlMs' | 'staleMs' | 'freshness'> & { readonly isShared: boolean }

/** Returns how a result may be used again, by the rule and by what it says; undefined for never. */
function useOf(result: CallResult, rule: CacheRule): Use | undefined {
  const freshness = freshnessOf(result)
  const said: Partial<Freshness> = freshness ?? cacheControlOf(result)
  const ttlMs = rule.ttlMs ?? said.ttlMs ?? rule.defaultMs ?? 0
  const confirmable = mayConfirm(freshness) ? { freshness } : undefined
  if (said.noStore || (ttlMs <= 0 && !confirmable)) return undefined
  return {
    ttlMs,
    isShared: said.scope === undefined ? rule.shared : said.scope === 'public',
    ...confirmable,
    ...(rule.ttlMs === undefined && { staleMs: said.staleMs }),
  }
}

/** Whether the server can say later that the result is still right. */
function mayConfirm({ headers = {} }: Partial<Freshness> = {}): boolean {
  return 'etag' in headers || 'last-modified' in headers
}

/** Whether a result is the answer itself, not a question or a task. */
function isWhole(result: CallResult): boolean {
  const { resultType = 'complete' } = result
  return resultType === 'complete' && taskOf(result) === undefined
}

function cacheControlOf(result: CallResult): Partial<Freshness> {
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const ttlMs = result['ttlMs'] ?? meta['ttlMs']
  const scope = result['cacheScope'] ?? meta['cacheScope']
  return {
    ...(typeof ttlMs === 'number' && { ttlMs }),
    ...(scope !== undefined && { scope: scope === 'public' ? 'public' : 'private' }),
  }
}

/** An open circuit is the best reason to return a stale result. */
function isCircuitOpen(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'CIRCUIT_OPEN'
}
