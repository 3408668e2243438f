import { createRoute, z } from '@hono/zod-openapi'
import { amendmentsOf } from '../../../../storage/traces/amendments.ts'
import { findTrace } from '../../../../storage/traces/trace-rows.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import type { Guards } from '../http/guards.ts'
import { SECURED, answer, guarded, idParam, jsonBody, problems } from '../http/route-parts.ts'
import type { TracesApp } from '../http/traces-env.ts'
import { amendTrace, decideAmendment, voteAmendment } from '../operations/amend-trace.ts'
import { presentAmendment } from '../operations/open-trace.ts'
import { amendmentDocument, amendmentVote, newAmendment } from '../schemas.ts'

const propose = {
  method: 'post',
  path: '/api/v1/traces/{id}/amendments',
  summary: 'Propose a better solution for a trace',
  security: SECURED,
  request: { params: idParam, body: jsonBody(newAmendment) },
  responses: {
    201: answer(amendmentDocument, 'The amendment'),
    ...problems(401, 403, 404, 409, 422, 429),
  },
} as const

const list = {
  method: 'get',
  path: '/api/v1/traces/{id}/amendments',
  summary: 'The amendments of a trace',
  security: SECURED,
  request: { params: idParam },
  responses: {
    200: answer(z.object({ amendments: z.array(amendmentDocument) }), 'The applied one first'),
    ...problems(401, 404, 422, 429),
  },
} as const

const vote = {
  method: 'post',
  path: '/api/v1/amendments/{id}/votes',
  summary: 'Vote on an amendment; enough approval applies it',
  security: SECURED,
  request: { params: idParam, body: jsonBody(amendmentVote) },
  responses: {
    201: answer(amendmentDocument, 'The amendment after the vote'),
    ...problems(401, 403, 404, 409, 422, 429),
  },
} as const

const decide = {
  method: 'post',
  path: '/api/v1/amendments/{id}/decision',
  summary: 'Apply or reject an amendment, as the author of the trace or a moderator',
  security: SECURED,
  request: { params: idParam, body: jsonBody(z.object({ decision: z.enum(['apply', 'reject']) })) },
  responses: {
    200: answer(amendmentDocument, 'The amendment, decided'),
    ...problems(401, 403, 404, 409, 422, 429),
  },
} as const

export function amendmentRoutes(app: TracesApp, deps: Deps, guards: Guards): void {
  const writes = guarded(guards.key, guards.write, guards.email)

  app.openapi(
    createRoute({ ...propose, middleware: guarded(guards.key, guards.write, guards.contributor) }),
    async (c) => {
      const { id } = c.req.valid('param')
      const amendment = await amendTrace(deps, c.get('account'), id, c.req.valid('json'))
      return c.json(presentAmendment(amendment), 201)
    },
  )

  app.openapi(createRoute({ ...list, middleware: guarded(guards.key, guards.read) }), async (c) => {
    const { id } = c.req.valid('param')
    if (!(await findTrace(deps.storage.db, id))) throw new ApiError(404, 'Trace not found')
    const amendments = await amendmentsOf(deps.storage.db, id)
    return c.json({ amendments: amendments.map(presentAmendment) }, 200)
  })

  app.openapi(createRoute({ ...vote, middleware: writes }), async (c) => {
    const { id } = c.req.valid('param')
    const { vote_type } = c.req.valid('json')
    return c.json(presentAmendment(await voteAmendment(deps, c.get('account'), id, vote_type)), 201)
  })

  app.openapi(createRoute({ ...decide, middleware: writes }), async (c) => {
    const { id } = c.req.valid('param')
    const { decision } = c.req.valid('json')
    const decided = await decideAmendment(deps, c.get('account'), id, decision)
    return c.json(presentAmendment(decided), 200)
  })
}
