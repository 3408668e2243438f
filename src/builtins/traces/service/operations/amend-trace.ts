import { randomUUID } from 'node:crypto'
import type { Db } from '../../../../storage/storage.ts'
import { storageFailure } from '../../../../storage/storage-failure.ts'
import type { Account, Amendment, TraceRow } from '../../../../storage/tables/trace-tables.ts'
import {
  findAmendment,
  insertAmendment,
  insertAmendmentVote,
  updateAmendment,
} from '../../../../storage/traces/amendments.ts'
import {
  countTraces,
  findTrace,
  findTraceByContent,
  lockTrace,
  rewriteTrace,
} from '../../../../storage/traces/trace-rows.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import { findInjections } from '../rules/find-injections.ts'
import { maturityOf } from '../rules/maturity.ts'
import { bandsOf, contentHash } from '../rules/near-duplicate.ts'
import { isEstablished } from './established.ts'
import { refuseSensitive } from './refuse-sensitive.ts'

const MIN_WEIGHT = 0.1
const STORED_ALREADY = 'The amended trace would say what a stored one says already'

interface NewAmendment {
  readonly improved_solution: string
  readonly explanation: string
}

export async function amendTrace(
  deps: Deps,
  submitter: Account,
  traceId: string,
  request: NewAmendment,
): Promise<Amendment> {
  refuseSensitive(request)
  const trace = await findTrace(deps.storage.db, traceId)
  if (!trace) throw new ApiError(404, 'Trace not found')
  const amended = { ...trace, solution_text: request.improved_solution }
  if (await findTraceByContent(deps.storage.db, contentHash(amended)))
    throw new ApiError(409, STORED_ALREADY)
  const amendment: Amendment = {
    id: randomUUID(),
    original_trace_id: traceId,
    submitter_id: submitter.id,
    improved_solution: request.improved_solution,
    explanation: request.explanation,
    status: 'proposed',
    trust_score: 0,
    confirmation_count: 0,
    created_at: deps.now(),
    decided_at: null,
  }
  await insertAmendment(deps.storage.db, amendment)
  return amendment
}

/** Counts a vote; with enough independent approval, the amendment replaces the trace's solution. */
export async function voteAmendment(
  deps: Deps,
  voter: Account,
  amendmentId: string,
  voteType: 'up' | 'down',
): Promise<Amendment> {
  const { storage } = deps
  return storage.transaction(async (tx) => {
    const { amendment, trace } = await lock(tx, deps, amendmentId)
    if (amendment.submitter_id === voter.id)
      throw new ApiError(403, 'Cannot vote on your own amendment')
    const weight = Math.max(MIN_WEIGHT, voter.reputation_score)
    await insertAmendmentVote(tx, {
      amendment_id: amendment.id,
      voter_id: voter.id,
      vote_type: voteType,
      weight,
      created_at: deps.now(),
    }).catch(refuseSecondVote)
    const confirms = voteType === 'up' && isEstablished(voter, deps) ? 1 : 0
    const counted = {
      ...amendment,
      trust_score: amendment.trust_score + (voteType === 'up' ? weight : -weight),
      confirmation_count: amendment.confirmation_count + confirms,
    }
    await updateAmendment(tx, amendment.id, {
      trust_score: counted.trust_score,
      confirmation_count: counted.confirmation_count,
    })
    const { threshold } = maturityOf(await countTraces(tx), deps.settings.validationThreshold)
    const approved = counted.confirmation_count >= threshold && counted.trust_score > 0
    // The vote counts even if the amendment cannot be applied, because another trace says it.
    const applies = approved && !(await isStoredElsewhere(tx, amendment, trace))
    return applies ? apply(tx, deps, counted, trace) : counted
  })
}

function refuseSecondVote(error: unknown): never {
  if (storageFailure(error) !== 'duplicate') throw error
  throw new ApiError(409, 'Already voted on this amendment', { cause: error })
}

/** Applies or rejects an amendment at once, for the author of the trace and moderators. */
export async function decideAmendment(
  deps: Deps,
  account: Account,
  amendmentId: string,
  decision: 'apply' | 'reject',
): Promise<Amendment> {
  return deps.storage.transaction(async (tx) => {
    const { amendment, trace } = await lock(tx, deps, amendmentId)
    if (trace.contributor_id !== account.id && !account.is_moderator)
      throw new ApiError(403, 'Only the author of the trace or a moderator decides on amendments')
    if (decision === 'apply') {
      if (await isStoredElsewhere(tx, amendment, trace)) throw new ApiError(409, STORED_ALREADY)
      return apply(tx, deps, amendment, trace)
    }
    const rejected: Amendment = { ...amendment, status: 'rejected', decided_at: deps.now() }
    await updateAmendment(tx, amendment.id, { status: 'rejected', decided_at: deps.now() })
    return rejected
  })
}

async function lock(
  tx: Db,
  { storage }: Deps,
  amendmentId: string,
): Promise<{ amendment: Amendment; trace: TraceRow }> {
  const found = await findAmendment(tx, amendmentId)
  const trace = found && (await lockTrace(tx, storage.engine, found.original_trace_id))
  // Read again under the lock, because another vote may have applied it meanwhile.
  const amendment = trace && (await findAmendment(tx, amendmentId))
  if (!amendment || !trace) throw new ApiError(404, 'Amendment not found')
  if (amendment.status !== 'proposed')
    throw new ApiError(409, `This amendment has been ${amendment.status} already`)
  return { amendment, trace }
}

/** Whether another trace says by now what this one would say when amended. */
async function isStoredElsewhere(
  tx: Db,
  { improved_solution }: Amendment,
  trace: TraceRow,
): Promise<boolean> {
  const hash = contentHash({ ...trace, solution_text: improved_solution })
  const found = await findTraceByContent(tx, hash)
  return found !== undefined && found !== trace.id
}

async function apply(
  tx: Db,
  { now }: Deps,
  amendment: Amendment,
  trace: TraceRow,
): Promise<Amendment> {
  const amended = { ...trace, solution_text: amendment.improved_solution }
  await updateAmendment(tx, amendment.id, { status: 'applied', decided_at: now() })
  const change = {
    solution_text: amended.solution_text,
    content_hash: contentHash(amended),
    injection_json: JSON.stringify(
      findInjections(trace.title, trace.context_text, amended.solution_text),
    ),
    updated_at: now(),
  }
  await rewriteTrace(tx, trace.id, change, bandsOf(amended))
  return { ...amendment, status: 'applied', decided_at: now() }
}
