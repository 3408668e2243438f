import { Histogram } from '../../telemetry/metrics/histogram.ts'
import { parseObject } from '../../base/json/json.ts'
import { getOrMake } from '../../base/maps.ts'
import { APPROVALS } from '../../telemetry/ledger.ts'
import type { Principal } from '../../gateway/agents/policy.ts'
import { isNamedAfterClient, whoCalled } from '../../identity/who-is.ts'
import { type AuditLine, callerOf } from '../../telemetry/audit/audit-line.ts'

export interface Counted {
  calls: number
  errors: number
  readonly latency: Histogram
}

interface CacheOfTool {
  hits: number
  misses: number
  hitMs: number
  missMs: number
}

/** The usage in a time range; its memory does not grow with the number of calls. */
export class Usage {
  readonly decisions = { ALLOW: 0, DENY: 0, ERROR: 0, TIMEOUT: 0 }
  /** How often each agent listed the tools, with who it is for the rules. */
  readonly lists = new Map<string, { readonly who: Principal; count: number }>()
  readonly tools = new Map<string, Counted>()
  readonly agents = new Map<string, Counted>()
  readonly all: Counted = counted()
  shortened = 0
  tokensSaved = 0
  /** The tokens of definitions that were sent on request. */
  tokensDescribed = 0
  /** Questions about calls by what has happened to them, and how long people took to answer. */
  readonly approvals = { events: new Map<string, number>(), answers: new Histogram() }
  first: string | undefined
  last: string | undefined
  readonly #cache = new Map<string, CacheOfTool>()

  add(line: AuditLine): void {
    const { operation, decision, metadata } = line
    const agent = line.agent_id ?? 'unknown'
    this.#stretch(line.timestamp)
    if (operation === APPROVALS) return this.#addApproval(line)
    this.decisions[decision]++
    if (operation === 'tools/list' && decision === 'ALLOW') this.#addList(agent, line)
    if (operation === 'get_server_tools') this.tokensDescribed += metadata.token_count ?? 0
    const saved = metadata.tokens_saved ?? 0
    this.tokensSaved += saved
    if (saved > 0) this.shortened++
    const tool = nameOf(line)
    count(this.all, line)
    count(getOrMake(this.agents, agent, counted), line)
    if (tool === undefined) return
    count(getOrMake(this.tools, tool, counted), line)
    if (metadata.cache) this.#addLookup(tool, line, metadata.cache)
  }

  /** A hit saves the average time of a miss of the same tool, less the time of the hit. */
  get cache(): { hits: number; misses: number; savedMs: number } {
    const total = { hits: 0, misses: 0, savedMs: 0 }
    for (const { hits, misses, hitMs, missMs } of this.#cache.values()) {
      total.hits += hits
      total.misses += misses
      if (misses > 0) total.savedMs += Math.max(0, (hits * missMs) / misses - hitMs)
    }
    return total
  }

  #addApproval({ metadata: { outcome = '', arguments: json = '' } }: AuditLine): void {
    const { events, answers } = this.approvals
    events.set(outcome, (events.get(outcome) ?? 0) + 1)
    const { after_ms: ms } = parseObject(json) ?? {}
    if (typeof ms === 'number') answers.record(ms)
  }

  #addList(agent: string, line: AuditLine): void {
    const caller = callerOf(agent, line)
    // Which part of its ancestors' rights the holder of a handle has is not on record.
    const isHandle = caller.ancestors !== undefined && !isNamedAfterClient(caller)
    const who = whoCalled(isHandle ? { agent } : caller)
    const key = JSON.stringify([who.id, who.ancestors, who.person])
    getOrMake(this.lists, key, () => ({ who, count: 0 })).count++
  }

  /** Extends the range both ways: a database yields newest entries first, files oldest first. */
  #stretch(timestamp: string): void {
    if (!this.first || timestamp < this.first) this.first = timestamp
    if (!this.last || timestamp > this.last) this.last = timestamp
  }

  #addLookup(tool: string, { latency_ms: ms }: AuditLine, found: 'hit' | 'miss'): void {
    const cache = getOrMake(this.#cache, tool, () => ({ hits: 0, misses: 0, hitMs: 0, missMs: 0 }))
    if (found === 'hit') {
      cache.hits++
      cache.hitMs += ms
    } else {
      cache.misses++
      cache.missMs += ms
    }
  }
}

function nameOf({ metadata: { server, tool } }: AuditLine): string | undefined {
  return server === undefined || tool === undefined ? undefined : `${server}/${tool}`
}

function count(into: Counted, { decision, metadata, latency_ms: ms }: AuditLine): void {
  into.calls++
  into.latency.record(ms)
  if (decision === 'ERROR' || decision === 'TIMEOUT' || metadata.is_error === true) into.errors++
}

function counted(): Counted {
  return { calls: 0, errors: 0, latency: new Histogram() }
}
