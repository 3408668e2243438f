import { isSignedIn } from '../agents/on-behalf-of.ts'
import type { Answerer, Question } from './approval.ts'

export interface ApproverRules {
  /** The groups whose people answer for others; without any, each person answers for themself. */
  readonly approvers: readonly string[]
  /** Whether nobody may answer for a call in their own name. */
  readonly fourEyes: boolean
}

/** Returns why somebody may not answer a question; undefined if they may. */
export function whyNotAnswer(
  question: Pick<Question, 'person' | 'key'>,
  by: Answerer,
  rules: ApproverRules,
): string | undefined {
  if (by.via === 'link') return whyNotByLink(question.person, rules)
  return whyNotByPerson(question, by, rules)
}

function whyNotByPerson(
  { person, key }: Pick<Question, 'person' | 'key'>,
  by: Answerer,
  { approvers, fourEyes }: ApproverRules,
): string | undefined {
  if (key !== undefined && by.key === key)
    return 'an agent cannot approve its own calls: this is the key that made the call'
  const isOwn = by.person === person
  if (isOwn && by.hasToken === true)
    return 'an agent cannot approve its own calls: sign in on the pages as a person'
  if (isOwn && fourEyes) return 'somebody else has to answer (`approvals.fourEyes`)'
  const isApprover = by.groups.some((group) => approvers.includes(group))
  if (isApprover || by.isAdmin || (isOwn && approvers.length === 0)) return undefined
  return approvers.length === 0
    ? 'the call is in the name of another person'
    : `only people in ${approvers.join(', ')} may (\`approvals.approvers\`)`
}

function whyNotByLink(person: string, { approvers, fourEyes }: ApproverRules): string | undefined {
  return fourEyes || approvers.length > 0 || isSignedIn(person)
    ? 'a link does not tell who opens it: sign in, and answer on the Approvals page'
    : undefined
}
