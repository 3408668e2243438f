import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { TIMEOUT_HEADER } from '../../timeout-header.ts'
import type { Deps } from '../deps.ts'
import type { Guards } from '../http/guards.ts'
import { SECURED, answer, guarded, idParam, jsonBody, problems } from '../http/route-parts.ts'
import type { TracesApp } from '../http/traces-env.ts'
import { contributeTrace } from '../operations/contribute-trace.ts'
import { openTrace } from '../operations/open-trace.ts'
import { answerSearch } from '../operations/answer-search.ts'
import { voteTrace } from '../operations/vote-trace.ts'
import { toIso } from '../present-trace.ts'
import {
  amendmentDocument,
  newTrace,
  newVote,
  related,
  search,
  searchAnswer,
  traceDocument,
} from '../schemas.ts'

const contribute = {
  method: 'post',
  path: '/api/v1/traces',
  summary: 'Contribute a trace',
  security: SECURED,
  request: { body: jsonBody(newTrace) },
  responses: {
    202: answer(
      z.object({
        id: z.string(),
        status: z.literal('pending'),
        message: z.string(),
        ignored_tags: z.array(z.string()),
      }),
      'Stored; it is searchable, marked as pending until others confirm it',
    ),
    ...problems(401, 403, 404, 409, 422, 429),
  },
} as const

const find = {
  method: 'post',
  path: '/api/v1/traces/search',
  summary: 'Search traces by words, by tags, or both',
  security: SECURED,
  request: { body: jsonBody(search) },
  responses: { 200: answer(searchAnswer, 'Best first'), ...problems(401, 422, 429, 503) },
} as const

const get = {
  method: 'get',
  path: '/api/v1/traces/{id}',
  summary: 'One trace, with its amendments and related traces',
  security: SECURED,
  request: { params: idParam },
  responses: {
    200: answer(
      traceDocument.extend({
        amendments: z.array(amendmentDocument),
        related_traces: z.array(related),
      }),
      'The trace',
    ),
    ...problems(401, 404, 422, 429),
  },
} as const

const vote = {
  method: 'post',
  path: '/api/v1/traces/{id}/votes',
  summary: 'Vote on a trace',
  security: SECURED,
  request: { params: idParam, body: jsonBody(newVote) },
  responses: {
    201: answer(
      z.object({
        id: z.string(),
        trace_id: z.string(),
        voter_id: z.string(),
        vote_type: z.enum(['up', 'down']),
        feedback_tag: z.string().nullable(),
        feedback_text: z.string().nullable(),
        created_at: z.string(),
      }),
      'The vote',
    ),
    ...problems(401, 403, 404, 409, 422, 429),
  },
} as const

export function traceRoutes(app: TracesApp, deps: Deps, guards: Guards): void {
  app.openapi(
    createRoute({
      ...contribute,
      middleware: guarded(guards.key, guards.write, guards.contributor),
    }),
    async (c) => {
      const { id, ignoredTags } = await contributeTrace(deps, c.get('account'), c.req.valid('json'))
      return c.json(
        {
          id,
          status: 'pending' as const,
          message: 'Trace accepted for processing',
          ignored_tags: [...ignoredTags],
        },
        202,
      )
    },
  )

  app.openapi(createRoute({ ...find, middleware: guarded(guards.key, guards.read) }), async (c) =>
    c.json(await answerSearch(deps, c.get('account'), c.req.valid('json'), waitsMs(c)), 200),
  )

  app.openapi(createRoute({ ...get, middleware: guarded(guards.key, guards.read) }), async (c) =>
    c.json(await openTrace(deps, c.get('account'), c.req.valid('param').id), 200),
  )

  app.openapi(
    createRoute({ ...vote, middleware: guarded(guards.key, guards.write, guards.email) }),
    async (c) => {
      const { id } = c.req.valid('param')
      const cast = await voteTrace(deps, c.get('account'), id, c.req.valid('json'))
      return c.json(
        {
          id: cast.id,
          trace_id: cast.trace_id,
          voter_id: cast.voter_id,
          vote_type: cast.vote_type,
          feedback_tag: cast.feedback_tag,
          feedback_text: cast.feedback_text,
          created_at: toIso(cast.created_at),
        },
        201,
      )
    },
  )
}

/** Returns how long the caller waits for the answer, if its header says so. */
function waitsMs(c: Context): number | undefined {
  const ms = Number(c.req.header(TIMEOUT_HEADER))
  return ms > 0 ? ms : undefined
}
