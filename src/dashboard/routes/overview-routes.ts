import { hostname } from 'node:os'
import { z } from 'zod'
import { VERSION } from '../../base/version.ts'
import type { Histogram } from '../../telemetry/metrics/histogram.ts'
import type { SeriesSummary } from '../../telemetry/metrics/series.ts'
import type { CacheOfServer, Latency, Named, Overview, TokenSavings } from '../contract/overview.ts'
import type { Server } from '../contract/servers.ts'
import { type DashboardParts, describeServers } from '../views/describe-server.ts'
import { findNotes } from '../views/notes.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Serving } from '../sources.ts'

export interface OverviewParts extends DashboardParts {
  readonly serving: Serving
}

const MAX_NAMES = 8

export function overviewRoutes(parts: OverviewParts): Route[] {
  const { sources, observer, costs } = parts
  return [
    defineRoute('GET /overview', {
      role: 'viewer',
      async answer() {
        await costs.prepare(sources.world)
        observer.discovery.settle(sources.world, costs)
        return describe(parts)
      },
    }),
    defineRoute('GET /series', {
      role: 'viewer',
      query: z.object({ range: z.enum(['5m', '24h']).default('5m') }),
      async answer({ query: { range = '5m' } }) {
        await costs.prepare(sources.world)
        observer.discovery.settle(sources.world, costs)
        return { range, ...observer.timeline.points(range) }
      },
    }),
  ]
}

function describe(parts: OverviewParts): Overview {
  const { sources, serving, observer } = parts
  const { calls, uptime_seconds, agents, servers: byServer, tools } = sources.metrics.summary()
  const servers = describeServers(parts)
  const lastMinute = observer.timeline.points('5m').calls.slice(-60)
  const recent = observer.timeline.recent()
  const { written, dropped, lastError } = sources.auditLog.status
  return {
    version: VERSION,
    startedAt: new Date(Date.now() - uptime_seconds * 1_000).toISOString(),
    uptimeSeconds: uptime_seconds,
    calls: {
      total: sum(Object.values(calls.decisions)),
      decisions: calls.decisions,
      outcomes: calls.outcomes,
      perSecond: round(sum(lastMinute) / Math.min(60, Math.max(1, uptime_seconds))),
    },
    latency: toLatency(sources.metrics.latency()),
    recentLatency: recent.count === 0 ? null : toLatency(recent),
    tokens: savings(parts, calls.tokens_saved),
    cache: { ...calls.cache, hitRate: rate(calls.cache), byServer: cacheOf(parts, servers) },
    servers: { total: servers.length, byState: countStates(servers) },
    sessions: serving.sessions(),
    audit: { written, dropped, lastError: lastError ?? null },
    replica: {
      id: `${hostname()}:${process.pid}`,
      host: hostname(),
      pid: process.pid,
      ...sources.shares,
    },
    notes: findNotes(sources, servers),
    busiest: { agents: busiest(agents), servers: busiest(byServer), tools: busiest(tools) },
  }
}

function savings({ sources, observer, costs }: OverviewParts, budgets: number): TokenSavings {
  const { config, world } = sources
  const agents = Object.keys(config.rules?.agents ?? { '*': {} })
  const each = agents.map((id) => costs.ofAgent({ id }, world))
  const average = (of: 'allTokens' | 'shownTokens') =>
    Math.round(sum(each.map((cost) => cost[of])) / Math.max(1, each.length))
  const { tokens: discovery, listings } = observer.discovery
  return {
    total: discovery + budgets,
    discovery,
    budgets,
    cache: observer.cacheTokens,
    listings,
    definitions: { allTokens: average('allTokens'), shownTokens: average('shownTokens') },
  }
}

function toLatency(histogram: Histogram): Latency {
  const { count, sumMs } = histogram
  return {
    avgMs: round(count === 0 ? 0 : sumMs / count),
    p50Ms: round(histogram.quantile(0.5)),
    p95Ms: round(histogram.quantile(0.95)),
    p99Ms: round(histogram.quantile(0.99)),
  }
}

function cacheOf({ observer }: OverviewParts, servers: readonly Server[]): CacheOfServer[] {
  return servers.flatMap(({ name }) => {
    const { hits = 0, misses = 0 } = observer.server(name) ?? {}
    const hitRate = rate({ hits, misses })
    return hitRate === null ? [] : [{ server: name, hits, misses, hitRate }]
  })
}

function countStates(servers: readonly Server[]): Overview['servers']['byState'] {
  const counts: Partial<Record<Server['state'], number>> = {}
  for (const { state } of servers) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

function busiest(family: Readonly<Record<string, SeriesSummary>>): Named[] {
  return Object.entries(family)
    .map(([name, summary]) => ({ name, ...summary }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_NAMES)
}

function rate({ hits, misses }: { hits: number; misses: number }): number | null {
  return hits + misses === 0 ? null : round(hits / (hits + misses))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
