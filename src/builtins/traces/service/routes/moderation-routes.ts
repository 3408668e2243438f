import { createRoute, z } from '@hono/zod-openapi'
import { clearFlags, flaggedTraces } from '../../../../storage/traces/flags.ts'
import { deleteTrace, findTrace, updateTrace } from '../../../../storage/traces/trace-rows.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import type { Guards } from '../http/guards.ts'
import { SECURED, answer, guarded, idParam, jsonBody, problems } from '../http/route-parts.ts'
import type { TracesApp } from '../http/traces-env.ts'
import { flagTrace } from '../operations/flag-trace.ts'
import { presentTraces } from '../present-trace.ts'
import { newFlag, traceDocument } from '../schemas.ts'

const flag = {
  method: 'post',
  path: '/api/v1/traces/{id}/flag',
  summary: 'Report a trace to the moderators',
  security: SECURED,
  request: { params: idParam, body: jsonBody(newFlag) },
  responses: {
    200: answer(
      z.object({
        trace_id: z.string(),
        flagged: z.boolean(),
        hidden: z.boolean(),
        category: z.string(),
        message: z.string(),
      }),
      'On record; the trace stays visible until several accounts or a moderator agree',
    ),
    ...problems(401, 404, 422, 429),
  },
} as const

const flagged = {
  method: 'get',
  path: '/api/v1/moderation/flagged',
  summary: 'What has been reported, newest first',
  security: SECURED,
  request: {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      offset: z.coerce.number().int().min(0).default(0),
    }),
  },
  responses: { 200: answer(z.array(traceDocument), 'Traces'), ...problems(401, 403, 422, 429) },
} as const

const remove = {
  method: 'delete',
  path: '/api/v1/moderation/traces/{id}',
  summary: 'Delete a trace and everything that hangs on it',
  security: SECURED,
  request: { params: idParam },
  responses: {
    200: answer(z.object({ deleted: z.literal(true), trace_id: z.string() }), 'Gone'),
    ...problems(401, 403, 404, 422, 429),
  },
} as const

const clear = {
  method: 'delete',
  path: '/api/v1/moderation/traces/{id}/flags',
  summary: 'Dismiss the reports of a trace and show it again',
  security: SECURED,
  request: { params: idParam },
  responses: {
    200: answer(z.object({ cleared: z.literal(true), trace_id: z.string() }), 'Visible again'),
    ...problems(401, 403, 404, 422, 429),
  },
} as const

export function moderationRoutes(app: TracesApp, deps: Deps, guards: Guards): void {
  const { storage, index } = deps
  const moderates = guarded(guards.key, guards.write, guards.moderator)

  app.openapi(
    createRoute({ ...flag, middleware: guarded(guards.key, guards.write) }),
    async (c) => {
      const { id } = c.req.valid('param')
      const body = c.req.valid('json')
      const { recorded, hidden } = await flagTrace(deps, c.get('account'), id, body)
      return c.json(
        {
          trace_id: id,
          flagged: true,
          hidden,
          category: body.category,
          message: recorded ? 'Reported to the moderators' : 'You have reported this trace before',
        },
        200,
      )
    },
  )

  app.openapi(
    createRoute({ ...flagged, middleware: guarded(guards.key, guards.read, guards.moderator) }),
    async (c) =>
      c.json(await presentTraces(deps, await flaggedTraces(storage.db, c.req.valid('query'))), 200),
  )

  app.openapi(createRoute({ ...remove, middleware: moderates }), async (c) => {
    const { id } = c.req.valid('param')
    if (!(await deleteTrace(storage.db, id))) throw new ApiError(404, 'Trace not found')
    index.delete(id)
    return c.json({ deleted: true as const, trace_id: id }, 200)
  })

  app.openapi(createRoute({ ...clear, middleware: moderates }), async (c) => {
    const { id } = c.req.valid('param')
    if (!(await findTrace(storage.db, id))) throw new ApiError(404, 'Trace not found')
    await storage.transaction(async (tx) => {
      await clearFlags(tx, id)
      await updateTrace(tx, id, { is_flagged: 0, flagged_at: null })
    })
    return c.json({ cleared: true as const, trace_id: id }, 200)
  })
}
