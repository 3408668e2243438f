import { hostname } from 'node:os'
import { z } from 'zod'
import { VERSION } from '../../base/version.ts'
import { SPAN_NAMES, type SpanName } from '../../telemetry/history/spans.ts'
import type { Overview } from '../contract/overview.ts'
import type { Server } from '../contract/servers.ts'
import { type DashboardParts, describeServers } from '../views/describe-server.ts'
import { findNotes } from '../views/notes.ts'
import { tokenSavings } from '../views/token-savings.ts'
import { readStats, readUsage, toUsageView } from '../views/usage.ts'
import { unusedServers } from '../views/unused-servers.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Serving } from '../sources.ts'

export interface OverviewParts extends DashboardParts {
  readonly serving: Serving
}

const MAX_NAMES = 8
const query = z.object({ range: z.enum(SPAN_NAMES).optional() })

export function overviewRoutes(parts: OverviewParts): Route[] {
  const { sources, costs } = parts
  return [
    defineRoute('GET /overview', {
      role: 'viewer',
      query,
      async answer({ query: { range = '24h' } }) {
        await costs.prepare(sources.world)
        return describe(parts, range)
      },
    }),
    defineRoute('GET /costs', {
      role: 'viewer',
      query,
      async answer({ query: { range = '30d' } }) {
        const [usage, month] = await Promise.all([
          sources.history.read(range),
          sources.history.read('30d'),
        ])
        const { currency, tokens, calls } = sources.config.settings.prices
        return {
          usage: toUsageView(usage),
          currency,
          isPriced: Object.keys({ ...tokens, ...calls }).length > 0,
          unused: await unusedServers(sources, month),
        }
      },
    }),
  ]
}

async function describe(parts: OverviewParts, range: SpanName): Promise<Overview> {
  const { sources, serving, costs } = parts
  const [{ usage, problem }, hour, stats] = await Promise.all([
    readUsage(sources.history, range),
    readUsage(sources.history, '1h'),
    readStats(sources.history),
  ])
  const servers = describeServers(parts, stats)
  const uptimeSeconds = Math.round(process.uptime())
  const { written, dropped, lastError } = sources.auditLog.status
  const notes = findNotes(sources, servers)
  return {
    version: VERSION,
    startedAt: new Date(Date.now() - uptimeSeconds * 1_000).toISOString(),
    uptimeSeconds,
    usage: toUsageView(usage, MAX_NAMES),
    perSecond: perSecond(hour.usage.points.map(({ calls }) => calls)),
    tokens: tokenSavings(sources, costs, usage),
    servers: { total: servers.length, byState: countStates(servers) },
    sessions: serving.sessions(),
    audit: { written, dropped, lastError: lastError ?? null },
    replica: {
      id: `${hostname()}:${process.pid}`,
      host: hostname(),
      pid: process.pid,
      ...sources.shares,
    },
    alone: sources.alone(),
    notes:
      problem === undefined
        ? notes
        : [
            {
              level: 'error',
              text: `The calls of the past cannot be read: ${problem}`,
              hint: null,
            },
            ...notes,
          ],
  }
}

/** The last whole minute, and the one that is under way. */
function perSecond(minutes: readonly number[]): number {
  const [whole = 0, current = 0] = minutes.slice(-2)
  const seconds = 60 + (Date.now() % 60_000) / 1_000
  return Math.round(((whole + current) / seconds) * 1_000) / 1_000
}

function countStates(servers: readonly Server[]): Overview['servers']['byState'] {
  const counts: Partial<Record<Server['state'], number>> = {}
  for (const { state } of servers) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
