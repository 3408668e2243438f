import { type JsonObject, isObject, canonicalJson } from '../../base/json/json.ts'
import { OPERATE } from '../../protocol/operate.ts'
import { declaresTasks, isTaskRequest, isTerminal, taskOf } from '../../protocol/tasks.ts'
import type { Agent, Authorized, CallResult } from '../call.ts'
import type { Flights } from '../state/flights.ts'
import { GatewayError } from '../errors.ts'
import { isUnanswered } from '../outage.ts'
import type { Layer } from '../pipeline.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'
import { type Deadlines, timeOf, withLeft } from './deadlines.ts'
import type { Results, StoredResult } from '../state/results.ts'
import { toolKey } from '../tools/tool-ref.ts'
import type { Tool, Upstream } from '../upstream.ts'

/** How results of a tool may be stored. */
export interface CacheRule {
  readonly ttlMs: number
  /** Whether one agent's result may be given to another. */
  readonly shared: boolean
}

export interface CacheRules {
  /** Undefined for a tool whose results are not stored. */
  rule(call: Authorized): CacheRule | undefined
  /** Whether results of any tool of a server may be stored, so that changes there matter. */
  stores?(upstream: Upstream): boolean
}

/** The longest wait for another replica, for a call without a deadline. */
const MAX_WAIT_MS = 30_000

/** Inside `budget`: it stores whole results; `budget` trims them to the allowance of each agent. */
export function cache(
  { results, flights }: { readonly results: Results; readonly flights: Flights<CallResult> },
  rules: CacheRules,
  deadlines?: Deadlines,
): Layer<Authorized, Authorized, CallResult> {
  return (next) => {
    /** Sends a call that may make stored results stale, then drops them. */
    async function change(call: Authorized): Promise<CallResult> {
      try {
        return await next(call)
      } finally {
        const reported = results.forget(call.upstream.name)
        if (reported) await reported
      }
    }

    /** Sends one request for all callers who now want the same, here and on other replicas. */
    async function lead(
      call: Authorized,
      rule: CacheRule,
      { subject, flight }: { readonly subject: string; readonly flight: string },
    ): Promise<CallResult> {
      const server = call.upstream.name
      const generation = results.generation(server)
      const totalMs = timeOf(call, deadlines)
      const claim = await results.claim?.({
        server,
        flight,
        keys: keysOf(subject, call.agent, rule),
        noCache: call.options.noCache ?? false,
        waitMs: Math.min((totalMs ?? Infinity) / 2, MAX_WAIT_MS),
        signal: call.signal,
      })
      if (claim?.result) {
        call.event.cache = 'hit'
        return claim.result
      }
      try {
        const result = await next(withLeft(call, totalMs, claim?.waitedMs ?? 0))
        store(results, call, { rule, subject }, { result, generation, claim })
        return result
      } finally {
        claim?.end()
      }
    }

    /** Sends a call that may become a task: shares no request, stores only a whole result. */
    async function alone(call: Authorized, rule: CacheRule, subject: string): Promise<CallResult> {
      const generation = results.generation(call.upstream.name)
      const result = await next(call)
      store(results, call, { rule, subject }, { result, generation })
      return result
    }

    /** Stores nothing; an ended task of the server may have made stored results stale. */
    async function askAboutTask(call: Authorized): Promise<CallResult> {
      const result = await next(call)
      if (isTerminal(result) && changesThings(call)) await results.forget(call.upstream.name)
      return result
    }

    /** Joins a request for the same thing that is in flight, or sends one. */
    async function join(
      call: Authorized,
      rule: CacheRule,
      { subject, own }: { readonly subject: string; readonly own: string },
    ): Promise<CallResult> {
      if (mayBecomeTask(call)) return alone(call, rule, subject)
      // A caller with a short timeout must not share a request that has a longer one.
      const flight = `${own}#${call.options.timeoutMs ?? ''}`
      // A call does not join a request that was sent before something changed on the server.
      const joined = `${flight}#${results.generation(call.upstream.name)}`
      let isLeader = false
      const result = await flights.join(joined, call.signal, async (signal) => {
        isLeader = true
        return lead({ ...call, signal }, rule, { subject, flight })
      })
      if (!isLeader) call.event.cache = 'hit'
      return result
    }

    async function find(call: Authorized, rule: CacheRule): Promise<CallResult> {
      const subject = await subjectOf(call)
      const { own, shared } = keysOf(subject, call.agent, rule)
      if (!call.options.noCache) {
        const hit = results.get(own, shared)
        call.event.cache = hit ? 'hit' : 'miss'
        if (hit) return hit
      }
      try {
        return await join(call, rule, { subject, own })
      } catch (error) {
        if (!isUnanswered(error) && !isCircuitOpen(error)) throw error
        const stale = await results.stale(own, call.upstream.name)
        if (!stale) throw error
        call.event.cache = 'hit'
        return stale
      }
    }

    return (call) => {
      if (isTaskRequest(call.method)) return askAboutTask(call)
      const rule = ruleFor(call, rules)
      if (rule) return find(call, rule)
      const makesStale = rules.stores?.(call.upstream) !== false && changesThings(call)
      return makesStale ? change(call) : next(call)
    }
  }
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

interface Keys {
  /** The key of this agent's result. */
  readonly own: string
  /** The key of a result for all agents: by the rule, or because the upstream calls it public. */
  readonly shared: string
}

/** Returns what determines the result: the tool, its arguments, and the project. */
async function subjectOf({ tool, upstream, method, params, client }: Authorized): Promise<string> {
  const key = toolKey({ server: upstream.name, name: tool?.name ?? method })
  const args = isObject(params['arguments']) ? params['arguments'] : {}
  // Results of an API do not depend on the project; any other server may ask for it.
  if (upstream.kind === 'openapi')
    return JSON.stringify([key, '', canonicalJson(withoutDefaults(args, tool))])
  return JSON.stringify([key, (await client.project()).path, canonicalJson(args)])
}

/** Removes defaults: to an API, sending one means the same as leaving it out. */
function withoutDefaults(args: JsonObject, tool: Tool | undefined): JsonObject {
  const schema = tool?.definition['inputSchema']
  const properties = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(properties)) return args
  const isDefault = ([name, value]: [string, unknown]) => {
    const property = properties[name]
    const usual = isObject(property) ? property['default'] : undefined
    return usual !== undefined && canonicalJson(usual) === canonicalJson(value)
  }
  return Object.fromEntries(Object.entries(args).filter((entry) => !isDefault(entry)))
}

function keysOf(subject: string, agent: Agent, { shared: isShared }: CacheRule): Keys {
  const shared = `*|${subject}`
  return { shared, own: isShared ? shared : `${ownerOfResults(agent)}|${subject}` }
}

/** Stores an answer, never an error. The upstream's own cache settings take precedence. */
function store(
  results: Results,
  call: Authorized,
  { rule, subject }: { readonly rule: CacheRule; readonly subject: string },
  got: Pick<StoredResult, 'result' | 'generation' | 'claim'>,
): void {
  const { result } = got
  if (result['isError'] === true || !isWhole(result)) return
  const { ttlMs = rule.ttlMs, scope } = cacheControlOf(result)
  if (ttlMs <= 0) return
  const shared = scope === undefined ? rule.shared : scope === 'public'
  const keys = keysOf(subject, call.agent, { ttlMs, shared })
  results.set(keys.own, { ...got, server: call.upstream.name, ttlMs })
}

/** Whether a result is the answer itself, not a question or a task. */
function isWhole(result: CallResult): boolean {
  const { resultType = 'complete' } = result
  return resultType === 'complete' && taskOf(result) === undefined
}

function cacheControlOf(result: CallResult): { ttlMs?: number; scope?: unknown } {
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const ttlMs = result['ttlMs'] ?? meta['ttlMs']
  const scope = result['cacheScope'] ?? meta['cacheScope']
  return { ...(typeof ttlMs === 'number' && { ttlMs }), ...(scope !== undefined && { scope }) }
}

/** An open circuit is the best reason to return a stale result. */
function isCircuitOpen(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'CIRCUIT_OPEN'
}
