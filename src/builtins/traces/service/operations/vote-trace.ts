import { randomUUID } from 'node:crypto'
import type { Db } from '../../../../storage/storage.ts'
import { storageFailure } from '../../../../storage/storage-failure.ts'
import type { Account, TraceRow, Vote } from '../../../../storage/tables/trace-tables.ts'
import {
  findAccount,
  grantInvite,
  lockAccount,
  updateAccount,
} from '../../../../storage/traces/accounts.ts'
import { tagsOf } from '../../../../storage/traces/tags.ts'
import { countTraces, lockTrace, updateTrace } from '../../../../storage/traces/trace-rows.ts'
import {
  domainScores,
  insertVote,
  countDomainVotes,
  countVotesFor,
  saveDomainReputation,
} from '../../../../storage/traces/votes.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import { toFingerprint, type Fingerprint, alignment } from '../rules/context-fingerprint.ts'
import { maturityOf } from '../rules/maturity.ts'
import type { NewVoteRequest } from '../schemas.ts'
import { areLinked, isEstablished } from './established.ts'
import { parseFingerprint } from '../present-trace.ts'
import { refuseSensitive } from './refuse-sensitive.ts'

const MAX_INVITES = 3

export async function voteTrace(
  deps: Deps,
  voter: Account,
  traceId: string,
  request: NewVoteRequest,
): Promise<Vote> {
  refuseSensitive([request.feedback_text, request.voter_context])
  const { storage } = deps
  return storage.transaction(async (tx) => {
    const trace = await lockTrace(tx, storage.engine, traceId)
    if (!trace) throw new ApiError(404, 'Trace not found')
    if (trace.contributor_id === voter.id) throw new ApiError(403, 'Cannot vote on your own trace')
    const vote = await toVote(tx, deps, { voter, trace, request })
    await insertVote(tx, vote).catch(refuseSecondVote)
    await apply(tx, deps, trace, vote)
    // Votes on other traces of the same author change the same reputation.
    await lockAccount(tx, storage.engine, trace.contributor_id)
    await updateReputation(tx, trace.contributor_id)
    return vote
  })
}

function refuseSecondVote(error: unknown): never {
  if (storageFailure(error) !== 'duplicate') throw error
  throw new ApiError(409, 'Already voted on this trace', { cause: error })
}

async function toVote(
  tx: Db,
  deps: Deps,
  { voter, trace, request }: { voter: Account; trace: TraceRow; request: NewVoteRequest },
): Promise<Vote> {
  const tags = (await tagsOf(tx, [trace.id])).get(trace.id) ?? []
  const scores = tags.length > 0 ? await domainScores(tx, voter.id, tags) : [voter.reputation_score]
  const author = await findAccount(tx, trace.contributor_id)
  const independent =
    isEstablished(voter, deps) && !(author !== undefined && areLinked(voter, author))
  return {
    id: randomUUID(),
    trace_id: trace.id,
    voter_id: voter.id,
    vote_type: request.vote_type,
    weight: voteWeight(
      { scores },
      {
        voteType: request.vote_type,
        voter: request.voter_context ? toFingerprint(request.voter_context) : undefined,
        trace: parseFingerprint(trace),
      },
    ),
    // Neither a downvote nor the vote of a new or linked account is a confirmation.
    confirms: request.vote_type === 'up' && independent ? 1 : 0,
    feedback_tag: request.feedback_tag ?? null,
    feedback_text: request.feedback_text ?? null,
    context_json: request.voter_context ? JSON.stringify(request.voter_context) : null,
    created_at: deps.now(),
  }
}

async function apply(tx: Db, { settings, now }: Deps, trace: TraceRow, vote: Vote): Promise<void> {
  const trust = trace.trust_score + (vote.vote_type === 'up' ? vote.weight : -vote.weight)
  const confirmations = trace.confirmation_count + vote.confirms
  const { threshold } = maturityOf(await countTraces(tx), settings.validationThreshold)
  const promoted = trace.status === 'pending' && confirmations >= threshold && trust > 0
  await updateTrace(tx, trace.id, {
    trust_score: trust,
    confirmation_count: confirmations,
    status: promoted ? 'validated' : trace.status,
    updated_at: now(),
  })
  if (promoted) await grantInvite(tx, trace.contributor_id, MAX_INVITES)
}

/** Recomputes the reputation from all votes, so that it cannot drift. */
async function updateReputation(db: Db, accountId: string): Promise<void> {
  const domains = await countDomainVotes(db, accountId)
  await saveDomainReputation(
    db,
    accountId,
    domains.map(({ tag, up, down }) => ({
      tag,
      upvote_count: up,
      downvote_count: down,
      wilson_score: wilsonScore(up, down),
    })),
  )
  const { up, down } = await countVotesFor(db, accountId)
  await updateAccount(db, accountId, { reputation_score: wilsonScore(up, down) })
}

const MIN_WEIGHT = 0.1
const Z = 1.96

interface Voter {
  /** The voter's Wilson scores in the tags of the trace; its overall score when there are no tags. */
  readonly scores: readonly number[]
}

interface VoteContext {
  readonly voteType: 'up' | 'down'
  readonly voter: Fingerprint | undefined
  readonly trace: Fingerprint
}

/** Weights a vote: a tenth without reputation, and less for a downvote from another environment. */
export function voteWeight({ scores }: Voter, { voteType, voter, trace }: VoteContext): number {
  const weight = Math.max(MIN_WEIGHT, ...scores)
  const comparable = voteType === 'down' && voter !== undefined && Object.keys(trace).length > 0
  return comparable ? weight * (0.3 + 0.7 * alignment(voter, trace)) : weight
}

/** Returns the lower bound of the 95 % interval of the approval rate; low while votes are few. */
export function wilsonScore(up: number, down: number): number {
  const votes = up + down
  if (votes === 0) return 0
  const share = up / votes
  const square = Z * Z
  const centre = share + square / (2 * votes)
  const margin = Z * Math.sqrt((share * (1 - share) + square / (4 * votes)) / votes)
  return Math.max(0, (centre - margin) / (1 + square / votes))
}
