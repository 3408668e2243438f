import { z } from 'zod'
import { milliseconds, section } from '../section.ts'

/** Questions about calls that rules of `ask` want a person to approve. */
export const approvals = section('Approval of calls, where a rule has `ask`.', {
  waitMs: milliseconds
    .default(45_000)
    .describe(
      'How long a call waits for its approval before its agent is told to try again, where the client can neither be asked nor take a task. Lower it for clients with short time limits.',
    ),
  expireMs: milliseconds
    .default(600_000)
    .describe(
      'How long a question waits for an answer, which is a denial after that, and an approval for its call. Raise it where people answer from their phone.',
    ),
  approvers: z
    .array(z.string())
    .default([])
    .describe(
      'Groups whose people answer for everybody; by default each person answers for themself. For teams that want some people to decide.',
    ),
  fourEyes: z
    .boolean()
    .default(false)
    .describe(
      'Whether nobody may approve a call in their own name, for changes that two people must have seen.',
    ),
})
