import { z } from 'zod'
import { MAX_WORDINGS } from '../port.ts'

/** What the operations take: the source of validation, types and the OpenAPI document. */

const MAX_TEXT = 50_000
const MAX_METADATA = 10_000

const context = z.record(z.string(), z.unknown())
const moment = z.iso.datetime({ offset: true })

export const uuid = z.uuid().toLowerCase()

export const newTrace = z.object({
  title: z.string().trim().min(1).max(200),
  context_text: z.string().trim().min(1).max(MAX_TEXT),
  solution_text: z.string().trim().min(1).max(MAX_TEXT),
  tags: z.array(z.string().max(200)).max(20).default([]),
  agent_model: z.string().max(100).nullish(),
  agent_version: z.string().max(50).nullish(),
  metadata_json: z
    .record(z.string(), z.unknown())
    .nullish()
    .refine((value) => JSON.stringify(value ?? {}).length <= MAX_METADATA, {
      message: `Too big: at most ${MAX_METADATA} characters as JSON`,
    }),
  supersedes_trace_id: uuid.nullish(),
  review_after: moment.nullish(),
  watch_condition: z.string().max(500).nullish(),
  tokens_to_resolution: z.number().int().min(0).max(50_000_000).nullish(),
})
export type NewTraceRequest = z.output<typeof newTrace>

export const search = z.object({
  q: z.string().max(2000).nullish(),
  also: z.array(z.string().max(2000)).max(MAX_WORDINGS).default([]),
  tags: z.array(z.string().max(200)).max(20).default([]),
  limit: z.number().int().min(1).max(50).default(10),
  context: context.nullish(),
  include_expired: z.boolean().default(true),
  status: z.enum(['any', 'pending', 'validated']).default('any'),
})
export type SearchRequest = z.output<typeof search>

export const newVote = z
  .object({
    vote_type: z.enum(['up', 'down']),
    feedback_tag: z.enum(['outdated', 'wrong', 'security_concern', 'spam']).nullish(),
    feedback_text: z.string().max(2000).nullish(),
    voter_context: context.nullish(),
  })
  .refine((vote) => vote.vote_type === 'up' || Boolean(vote.feedback_tag), {
    message: 'A downvote needs a feedback_tag: outdated, wrong, security_concern or spam',
    path: ['feedback_tag'],
  })
export type NewVoteRequest = z.output<typeof newVote>

export const newAmendment = z.object({
  improved_solution: z.string().trim().min(1).max(MAX_TEXT),
  explanation: z.string().trim().min(1).max(5000),
})

export const newFlag = z.object({
  reason: z.string().trim().min(1).max(1000),
  category: z.enum(['harmful', 'spam', 'incorrect', 'duplicate']),
})

export const amendmentVote = z.object({ vote_type: z.enum(['up', 'down']) })

export const decision = z.object({ decision: z.enum(['apply', 'reject']) })

const offset = z.coerce.number().int().min(0).default(0)

export const page = z.object({
  status: z.enum(['pending', 'validated']).optional(),
  tag: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset,
})

export const flaggedPage = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  offset,
})
