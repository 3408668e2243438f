import { messageOf } from '../../base/errors.ts'
import { type Usage, type UsageHistory, summarise } from '../../telemetry/history/usage.ts'
import type { SpanName } from '../../telemetry/history/spans.ts'
import type { CallStats, UsageView } from '../contract/overview.ts'

export interface ReadUsage {
  readonly usage: Usage
  /** Why the past is not known now. */
  readonly problem: string | undefined
}

/** Reads the past; a page that shows more than that must not fail with the database. */
export async function readUsage(history: UsageHistory, span: SpanName): Promise<ReadUsage> {
  try {
    return { usage: await history.read(span), problem: undefined }
  } catch (error) {
    const nothing = { now: Date.now(), sinceMs: null, share: 1 }
    return { usage: summarise([], span, nothing), problem: messageOf(error) }
  }
}

/** The counts of the last 30 days by name. */
export async function readStats(history: UsageHistory) {
  const { usage } = await readUsage(history, '30d')
  const byName = (kind: 'agents' | 'servers' | 'tools'): ReadonlyMap<string, CallStats> =>
    new Map(usage[kind].map((each) => [each.name, each]))
  return { agents: byName('agents'), servers: byName('servers'), tools: byName('tools') }
}

export type Stats = Awaited<ReturnType<typeof readStats>>

export function toUsageView(usage: Usage, most = Infinity): UsageView {
  const { agents, servers, tools } = usage
  return {
    ...usage,
    lists: {},
    agents: agents.slice(0, most),
    servers: servers.slice(0, most),
    tools: tools.slice(0, most),
  }
}
