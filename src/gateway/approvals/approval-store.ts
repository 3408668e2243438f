import type { Soon } from '../../base/flow/soon.ts'
import type { Answer, Answerer, Approval, Bond, Question } from './approval.ts'

/** Where approvals are, for all processes that serve the same people. */
export interface ApprovalStore {
  /**
   * Returns what is known about a call: an approval, which is used up if it is for one call; a
   * denial; or the question that waits. Exactly one caller gets an approval for one call.
   */
  claim(bond: Bond, callId: string): Promise<Approval | undefined>
  /** Stores a question, unless one waits for the same call already; returns the one that waits. */
  ask(
    bond: Bond,
    question: Question,
    expiresAt: number,
  ): Promise<{ readonly approval: Approval; readonly isNew: boolean }>
  /** Answers a question; undefined if it does not wait any more. */
  answer(id: string, answer: Answer, by: Answerer): Promise<Approval | undefined>
  find(id: string): Promise<Approval | undefined>
  /** The newest first, waiting ones before all others. */
  list(): Promise<Approval[]>
  /** Marks questions that nobody has answered; returns those that it marked. */
  expire(): Promise<Approval[]>
}

/** Opened with the first question. */
export type OpenApprovals = () => Soon<ApprovalStore>
