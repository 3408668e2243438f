import { SCRIPTS_SERVER } from '../../protocol/saved-scripts.ts'
import { isObject } from '../../base/json/json.ts'
import { APPROVALS, DASHBOARD } from '../../telemetry/ledger.ts'
import type { AuditQuery, AuditRecord, AuditSearch } from '../../telemetry/audit/audit-search.ts'
import type { RunCall, RunDetail } from '../contract.ts'
import type { Call, CallDetail } from '../contract/calls.ts'
import { toCall } from './to-call.ts'

/** The most calls one page can show; also the default limit of calls for a script. */
const MAX_CALLS = 1000
/** The most audit records that are read to find runs. */
const MAX_RECORDS = 500
/** The most pages of records that are read to find one call. */
const MAX_PAGES = 20

/** The newest runs: scripts that agents sent, and saved scripts that they called. */
export async function recentRuns(audit: AuditSearch, most: number): Promise<Call[]> {
  const [sent, saved] = await Promise.all([
    audit.search({ text: 'run_script', limit: MAX_RECORDS }),
    audit.search({ server: SCRIPTS_SERVER, limit: MAX_RECORDS }),
  ])
  const runs = new Map<string, Call>()
  for (const record of [...sent.records, ...saved.records]) {
    const call = toCall(record)
    if (parentOf(record) === undefined && isRun(call)) runs.set(call.id, call)
  }
  return [...runs.values()].toSorted((one, other) => other.at.localeCompare(one.at)).slice(0, most)
}

/** A day: nobody is asked for longer, and no script runs for longer. */
const DAY_MS = 86_400_000

/** Returns what belongs to a call: the script around it or in it, and the question whether it may be made. */
export async function findNeighbours(
  audit: AuditSearch,
  call: Call,
): Promise<Pick<CallDetail, 'script' | 'calls' | 'approvals'>> {
  const endedAt = Date.parse(call.at)
  const around = { since: endedAt - DAY_MS, until: endedAt + DAY_MS }
  const [script, inner, questions] = await Promise.all([
    call.parent === null ? undefined : findCall(audit, call.parent, { ...around, since: endedAt }),
    isRun(call) ? below(audit, call, startOf(call)) : undefined,
    call.approval === null
      ? undefined
      : audit.search({
          ...around,
          text: call.approval,
          operation: APPROVALS,
          limit: MAX_QUESTIONS,
        }),
  ])
  return {
    script: script ?? null,
    calls: inner?.calls.map((each) => each.call) ?? [],
    approvals: questions?.records.map(toCall) ?? [],
  }
}

const MAX_QUESTIONS = 20

/** Returns a run with the calls below it, from the audit record; undefined if it is not there. */
export async function findRun(
  audit: AuditSearch,
  id: string,
): Promise<Omit<RunDetail, 'source'> | undefined> {
  const run = await findCall(audit, id)
  if (!run) return undefined
  const { calls, isCut } = await below(audit, run, startOf(run))
  return {
    run,
    calls,
    tokensNotSpent: Math.max(0, tokensOf(calls) - (run.tokenCount ?? 0)),
    isCut,
  }
}

/** Searches by text, which may also match other records than that of the call. */
export async function findCall(
  audit: AuditSearch,
  id: string,
  within: Pick<AuditQuery, 'since' | 'until'> = {},
): Promise<Call | undefined> {
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { records, next } = await audit.search({ ...within, text: id, limit: MAX_CALLS, cursor })
    const found = records.map(toCall).find((call) => call.id === id)
    if (found || next === undefined) return found
    cursor = next
  }
  return undefined
}

/**
 * Returns the calls of a script: records since its start that name it, without an end, because a
 * task continues after its call has ended. Only saved scripts, and what continued the script after
 * a question, make calls in turn, a few levels deep.
 */
async function below(
  audit: AuditSearch,
  script: Call,
  from: number,
): Promise<{ calls: RunCall[]; isCut: boolean }> {
  const { records, next } = await audit.search({
    text: script.id,
    since: startOf(script) - 1,
    limit: MAX_CALLS,
  })
  const children = records.filter((record) => parentOf(record) === script.id).map(toCall)
  const nodes = children.map(async (call) => ({
    call,
    afterMs: Math.max(0, startOf(call) - from),
    calls: isRun(call) ? (await below(audit, call, from)).calls : [],
  }))
  const calls = await Promise.all(nodes)
  return {
    calls: calls.toSorted((one, other) => one.afterMs - other.afterMs),
    isCut: next !== undefined,
  }
}

/** Sums the results of calls; those inside a saved script replace its own result. */
function tokensOf(calls: readonly RunCall[]): number {
  return calls.reduce(
    (sum, { call, calls: inner }) =>
      sum + (inner.length > 0 ? tokensOf(inner) : (call.tokenCount ?? 0)),
    0,
  )
}

function isRun({ operation, server }: Call): boolean {
  return operation === 'run_script' || (server === SCRIPTS_SERVER && operation !== DASHBOARD)
}

function startOf({ at, durationMs }: Call): number {
  return Date.parse(at) - durationMs
}

function parentOf({ metadata }: AuditRecord): unknown {
  return isObject(metadata) ? metadata['parent'] : undefined
}
