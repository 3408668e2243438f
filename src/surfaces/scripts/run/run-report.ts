import type { CallResult, Identified } from '../../../gateway/call.ts'
import { type RunCall, type RunReport, RUN_META } from '../../../gateway/script-run.ts'
import { metaOf } from '../../../protocol/versions.ts'
import type { Trail, TrailEntry } from '../host/trail.ts'

/** Adds a report of the run to the result, if the caller asked for one. */
export function withReport(result: CallResult, call: Identified, trail: Trail): CallResult {
  if (metaOf(call.params)[RUN_META] !== true) return result
  return { ...result, _meta: { ...metaOf(result), [RUN_META]: toReport(call, trail) } }
}

function toReport({ event }: Identified, trail: Trail): RunReport {
  const { id, startedAt } = event
  // A script that was suspended made calls before this one.
  const begunAt = Math.min(startedAt, trail.entries[0]?.startedAt ?? startedAt)
  return {
    id,
    duration_ms: Date.now() - startedAt,
    tokens: trail.tokens,
    calls: trail.entries.map((entry) => toRunCall(entry, begunAt)),
  }
}

function toRunCall(entry: TrailEntry, begunAt: number): RunCall {
  const { id, server, tool, outcome, durationMs, tokens, calls } = entry
  return {
    id,
    tool: `${server}.${tool}`,
    outcome,
    after_ms: entry.startedAt - begunAt,
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    ...(tokens !== undefined && { tokens }),
    ...(calls && { calls: calls.map((inner) => toRunCall(inner, begunAt)) }),
  }
}
