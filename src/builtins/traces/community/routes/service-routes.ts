import { z } from '@hono/zod-openapi'
import { OPERATIONS, operationNames } from '../../port.ts'
import { METRICS } from '../../common-trace-names.ts'
import { type AnyOperation, SERVICE_OPERATIONS } from '../../service/operations.ts'
import { newFlag, search } from '../../service/schemas.ts'
import type { CommunityDeps } from '../deps.ts'
import { amendmentDocument, related, searchAnswer, traceDocument } from '../documents.ts'
import type { Routes } from '../http/routes.ts'

/** What the operations of the service answer, and how the OpenAPI document describes them. */
const DESCRIPTIONS = {
  search: {
    summary: 'Search traces by words, by tags, or both',
    answer: searchAnswer,
    means: 'Best first',
    problems: [503],
  },
  contribute: {
    summary: 'Contribute a trace',
    status: 202,
    answer: z.object({
      id: z.string(),
      status: z.literal('pending'),
      message: z.string(),
      ignored_tags: z.array(z.string()),
    }),
    means: 'Stored; it is searchable, marked as pending until others confirm it',
    problems: [404, 409],
  },
  list: {
    summary: 'Traces, newest first',
    answer: z.object({ traces: z.array(traceDocument), total: z.number() }),
  },
  get: {
    summary: 'One trace, with its amendments and related traces',
    answer: traceDocument.extend({
      amendments: z.array(amendmentDocument),
      related_traces: z.array(related),
    }),
  },
  vote: {
    summary: 'Vote on a trace',
    status: 201,
    answer: z.object({
      id: z.string(),
      trace_id: z.string(),
      voter_id: z.string(),
      vote_type: z.enum(['up', 'down']),
      feedback_tag: z.string().nullable(),
      feedback_text: z.string().nullable(),
      created_at: z.string(),
    }),
    problems: [409],
  },
  amend: {
    summary: 'Propose a better solution for a trace',
    status: 201,
    answer: amendmentDocument,
    problems: [409],
  },
  amendments: {
    summary: 'The amendments of a trace',
    answer: z.object({ amendments: z.array(amendmentDocument) }),
    means: 'The applied one first',
  },
  voteAmendment: {
    summary: 'Vote on an amendment; enough approval applies it',
    status: 201,
    answer: amendmentDocument,
    problems: [409],
  },
  decideAmendment: {
    summary: 'Apply or reject an amendment, as the author of the trace or a moderator',
    answer: amendmentDocument,
    problems: [409],
  },
  tags: {
    summary: 'All tags in use',
    answer: z.object({ tags: z.array(z.string()) }),
  },
  flag: {
    summary: 'Report a trace to the moderators',
    answer: z.object({
      trace_id: z.string(),
      flagged: z.boolean(),
      hidden: z.boolean(),
      category: newFlag.shape.category,
      message: z.string(),
    }),
    means: 'On record; the trace stays visible until several accounts or a moderator agree',
  },
  flagged: {
    summary: 'What has been reported, newest first',
    answer: z.array(traceDocument),
  },
  unflag: {
    summary: 'Dismiss the reports of a trace and show it again',
    answer: z.object({ cleared: z.literal(true), trace_id: z.string() }),
  },
  validate: {
    summary: 'Dismiss the reports of a trace and count it as confirmed',
    answer: z.object({ validated: z.literal(true), trace_id: z.string() }),
  },
  remove: {
    summary: 'Delete a trace and everything that hangs on it',
    answer: z.object({ deleted: z.literal(true), trace_id: z.string() }),
  },
} as const satisfies { [Name in keyof typeof SERVICE_OPERATIONS]: Description<Name> }

interface Description<Name extends keyof typeof SERVICE_OPERATIONS> {
  readonly summary: string
  readonly status?: 201 | 202
  readonly answer: z.ZodType<Awaited<ReturnType<(typeof SERVICE_OPERATIONS)[Name]['run']>>>
  readonly means?: string
  readonly problems?: readonly number[]
}

type AnyDescription = Omit<Description<never>, 'answer'> & { readonly answer: z.ZodType<object> }

/** The routes of the operations that the tools use as well. */
export function serviceRoutes(routes: Routes, deps: CommunityDeps): void {
  for (const name of operationNames()) {
    const operation: AnyOperation = SERVICE_OPERATIONS[name]
    const { method, path, kind } = OPERATIONS[name]
    const description: AnyDescription = DESCRIPTIONS[name]
    routes.keyed<unknown, object>({
      ...description,
      method,
      path: path.replace('/api/v1', ''),
      kind,
      needs: operation.needs,
      ...(operation.input && { input: operation.input }),
      run: async (call) => {
        const started = performance.now()
        const answer = await operation.run(deps, call)
        if (name === 'search') countSearch(deps, call.input, (performance.now() - started) / 1000)
        return answer
      },
    })
  }
}

function countSearch({ metrics }: CommunityDeps, input: unknown, seconds: number): void {
  const has_tags = String(search.parse(input).tags.length > 0)
  metrics.count(`${METRICS}_search_requests_total`, { has_tags })
  metrics.time(`${METRICS}_search_duration_seconds`, {}, seconds)
}
