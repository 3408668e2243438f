import { type Fingerprint, alignment } from './context-fingerprint.ts'

const LEAST = 0.1
const Z = 1.96

export interface Voter {
  /** The voter's Wilson scores in the tags of the trace; its overall score when there are no tags. */
  readonly scores: readonly number[]
}

export interface VoteContext {
  readonly voteType: 'up' | 'down'
  readonly voter: Fingerprint | undefined
  readonly trace: Fingerprint
}

/** Weights a vote: a tenth without reputation, and less for a downvote from another environment. */
export function voteWeight({ scores }: Voter, { voteType, voter, trace }: VoteContext): number {
  const weight = Math.max(LEAST, ...scores)
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
