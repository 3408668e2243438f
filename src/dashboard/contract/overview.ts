import type { Decision } from './calls.ts'
import type { ServerState } from './servers.ts'

export interface Latency {
  readonly avgMs: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

export interface CallStats extends Latency {
  readonly count: number
  /** 0..1: failed, timed out, or the tool said so itself. */
  readonly errorRate: number
  /** 0..1 */
  readonly denialRate: number
}

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
  /** Since the start, over everything. */
  readonly latency: Latency
  /** Over the last five minutes; null when nothing was called. */
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
  /** What this process is, among others that may serve the same team. */
  readonly replica: {
    readonly id: string
    readonly host: string
    readonly pid: number
    /** Where shared data lies, such as `embedded` or `postgres`. */
    readonly storage: string
    readonly limits: string
  }
  /** What somebody should look at; empty when all is well. */
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
  /** Per listing: definitions of all permitted tools, less those shown; less what discovery itself answered. */
  readonly discovery: number
  /** What results were shortened by. */
  readonly budgets: number
  /** What was answered without asking its server again: not less context, but less work. */
  readonly cache: number
  readonly listings: number
  /** What one listing costs now, on average over the agents of the rules. */
  readonly definitions: { readonly allTokens: number; readonly shownTokens: number }
}

/** `5m`: one point a second; `24h`: one a minute. */
export type SeriesRange = '5m' | '24h'

/** Columns of equal length, oldest first; the last point is still growing. */
export interface Series {
  readonly range: SeriesRange
  readonly stepSeconds: number
  /** Of the first point. */
  readonly fromMs: number
  readonly calls: readonly number[]
  readonly denied: readonly number[]
  /** Failed or timed out, or the tool said so itself. */
  readonly errors: readonly number[]
  /** Null where nothing was called. */
  readonly p50Ms: readonly (number | null)[]
  readonly p95Ms: readonly (number | null)[]
  readonly p99Ms: readonly (number | null)[]
  readonly cacheHits: readonly number[]
  readonly cacheMisses: readonly number[]
  readonly discoveryTokens: readonly number[]
  readonly budgetTokens: readonly number[]
  readonly cacheTokens: readonly number[]
}
