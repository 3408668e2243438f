import type { NamedUsage, Usage } from '../../telemetry/history/usage.ts'
import type { SpanName } from '../../telemetry/history/spans.ts'
import type { UsageCounts } from '../../telemetry/history/usage-counts.ts'
import type { ServerState } from './servers.ts'

export type { NamedUsage, SpanName, UsageCounts }

/** Calls of all clients, folders, processes and replicas; an overview has only the busiest names. */
export type UsageView = Usage

/** Of one agent, server or tool, in the last 30 days. */
export type CallStats = UsageCounts

export interface Overview {
  readonly version: string
  readonly startedAt: string
  readonly uptimeSeconds: number
  readonly usage: UsageView
  /** Calls a second, over the last minute. */
  readonly perSecond: number
  readonly tokens: TokenSavings
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
  /** Gateways of this machine that serve one client alone; their calls are counted here too. */
  readonly alone: readonly {
    readonly pid: number
    readonly folder: string
    readonly since: string
    /** Why it has not joined the person's gateway. */
    readonly reason: string
  }[]
  /** Problems that need attention; empty if there are none. */
  readonly notes: readonly Note[]
}

export interface Note {
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly hint: string | null
}

/** In the span that was asked for. docs/guides/dashboard.md has the formulas. */
export interface TokenSavings {
  readonly total: number
  /** Per listing: definitions of all permitted tools, less those shown and discovery results. */
  readonly discovery: number
  /** What each point of the span adds to it. */
  readonly discoveryPoints: readonly number[]
  /** Tokens by which results were shortened. */
  readonly budgets: number
  /** Results that came from the cache: they save upstream work, not context. */
  readonly cache: number
  readonly listings: number
  /** What one listing currently costs, on average over the agents of the rules. */
  readonly definitions: { readonly allTokens: number; readonly shownTokens: number }
}

/** What calls cost, by `prices` of the settings. */
export interface Costs {
  readonly usage: UsageView
  readonly currency: string
  /** Whether the settings name any price. */
  readonly isPriced: boolean
  /** Servers that nobody has used for 30 days; null if the record does not go back that far. */
  readonly unused: readonly { readonly name: string; readonly file: string | null }[] | null
}
