import type { Db } from '../../../../storage/storage.ts'
import { updateAccount } from '../../../../storage/traces/accounts.ts'
import {
  countDomainVotes,
  countVotesFor,
  saveDomainReputation,
} from '../../../../storage/traces/votes.ts'
import { wilsonScore } from '../rules/vote-weight.ts'

/** Counted from the votes each time, so that it can neither drift nor be counted twice. */
export async function updateReputation(db: Db, accountId: string): Promise<void> {
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
