import { type Fingerprint, alignment } from './context-fingerprint.ts'

const LEAST = 0.1

export interface Voter {
  /** The voter's Wilson scores in the tags of the trace; its overall score when there are no tags. */
  readonly scores: readonly number[]
}

export interface VoteContext {
  readonly voteType: 'up' | 'down'
  readonly voter: Fingerprint | undefined
  readonly trace: Fingerprint
}

/** A stranger counts a tenth; a downvote from another environment counts less than one from the same. */
export function voteWeight({ scores }: Voter, { voteType, voter, trace }: VoteContext): number {
  const weight = Math.max(LEAST, ...scores)
  const comparable = voteType === 'down' && voter !== undefined && Object.keys(trace).length > 0
  return comparable ? weight * (0.3 + 0.7 * alignment(voter, trace)) : weight
}
