import { z } from 'zod'
import { milliseconds, section } from '../section.ts'

const VARIABLE = /\$\{[^}]+\}/

const webhook = section('A signed request to an address of yours for each question.', {
  url: z
    .string()
    .refine((text) => VARIABLE.test(text) || /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
      message: 'must be an http or https address, or a variable such as "${WEBHOOK_URL}"',
    })
    .describe(
      'Where questions are sent, such as the incoming webhook of a chat, so that people can answer by the link in it. `${NAME}` stands for a variable or a secret.',
    ),
  secret: z
    .string()
    .min(1)
    .describe(
      'Signs each request, by the rules of Standard Webhooks, so that the receiver can tell them from forged ones; best as `${NAME}`, stored with `portolan secrets set NAME`.',
    ),
  allowPrivate: z
    .boolean()
    .default(false)
    .describe('Whether the address may be private, for a receiver on this machine or network.'),
})

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
  webhook: webhook.optional(),
})
