import type { SeriesSummary } from '../../telemetry/metrics/series.ts'
import type { Points } from '../../telemetry/track.ts'
import type { Decision } from './calls.ts'
import type { ServerState } from './servers.ts'

export interface Latency {
  readonly avgMs: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

/** Of one agent, server or tool; rates are 0..1. */
export type CallStats = SeriesSummary

export interface Overview {
  readonly version: string
  readonly startedAt: string
  readonly uptimeSeconds: number
  readonly calls: {
    readonly total: number
    readonly decisions: Readonly<Record<Decision, number>>
    /** `ok`, `tool_error`, or a failure code. */
    readonly outcomes: Readonly<Record<string, number>>
    /** Over the last minute. */
    readonly perSecond: number
  }
  /** Since the start, over all calls. */
  readonly latency: Latency
  /** Over the last five minutes; null if there were no calls. */
  readonly recentLatency: Latency | null
  readonly tokens: TokenSavings
  readonly cache: {
    readonly hits: number
    readonly misses: number
    /** 0..1; null before the first lookup. */
    readonly hitRate: number | null
    readonly byServer: readonly CacheOfServer[]
  }
  readonly servers: {
    readonly total: number
    readonly byState: Readonly<Partial<Record<ServerState, number>>>
  }
  readonly sessions: number
  readonly audit: {
    readonly written: number
    readonly dropped: number
    readonly lastError: string | null
  }
  /** This process, among others that may serve the same team. */
  readonly replica: {
    readonly id: string
    readonly host: string
    readonly pid: number
    /** Where shared data is stored, such as `embedded` or `postgres`. */
    readonly storage: string
    readonly limits: string
  }
  /** Problems that need attention; empty if there are none. */
  readonly notes: readonly Note[]
  readonly busiest: {
    readonly agents: readonly Named[]
    readonly servers: readonly Named[]
    readonly tools: readonly Named[]
  }
}

export interface Named extends CallStats {
  readonly name: string
}

export interface CacheOfServer {
  readonly server: string
  readonly hits: number
  readonly misses: number
  readonly hitRate: number
}

export interface Note {
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly hint: string | null
}

/** Since the start of this process. docs/guides/dashboard.md has the formulas. */
export interface TokenSavings {
  readonly total: number
  /** Per listing: definitions of all permitted tools, less those shown and discovery results. */
  readonly discovery: number
  /** Tokens by which results were shortened. */
  readonly budgets: number
  /** Results that came from the cache: they save upstream work, not context. */
  readonly cache: number
  readonly listings: number
  /** What one listing currently costs, on average over the agents of the rules. */
  readonly definitions: { readonly allTokens: number; readonly shownTokens: number }
}

/** `5m`: one point a second; `24h`: one a minute. */
export type SeriesRange = '5m' | '24h'

export interface Series extends Points {
  readonly range: SeriesRange
}
