import { createRoute, z } from '@hono/zod-openapi'
import { browseTraces, countBrowsed } from '../../../../storage/traces/browse.ts'
import { clearFlags } from '../../../../storage/traces/flags.ts'
import { findTrace, updateTrace } from '../../../../storage/traces/trace-rows.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import type { Guards } from '../http/guards.ts'
import { SECURED, answer, guarded, idParam, problems } from '../http/route-parts.ts'
import type { TracesApp } from '../http/traces-env.ts'
import { presentTraces } from '../present-trace.ts'
import { traceDocument } from '../schemas.ts'

const browse = {
  method: 'get',
  path: '/api/v1/traces',
  summary: 'Traces, newest first',
  security: SECURED,
  request: {
    query: z.object({
      status: z.enum(['pending', 'validated']).optional(),
      tag: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(20),
      offset: z.coerce.number().int().min(0).default(0),
    }),
  },
  responses: {
    200: answer(z.object({ traces: z.array(traceDocument), total: z.number() }), 'One page'),
    ...problems(401, 422, 429),
  },
} as const

const validate = {
  method: 'post',
  path: '/api/v1/moderation/traces/{id}/validate',
  summary: 'Dismiss the reports of a trace and count it as confirmed',
  security: SECURED,
  request: { params: idParam },
  responses: {
    200: answer(z.object({ validated: z.literal(true), trace_id: z.string() }), 'Validated'),
    ...problems(401, 403, 404, 422, 429),
  },
} as const

/** Routes for people: a list of traces, and validation of a trace by a moderator. */
export function browseRoutes(app: TracesApp, deps: Deps, guards: Guards): void {
  const { storage, now } = deps

  app.openapi(
    createRoute({ ...browse, middleware: guarded(guards.key, guards.read) }),
    async (c) => {
      const page = c.req.valid('query')
      const rows = await browseTraces(storage.db, page)
      const traces = await presentTraces(deps, rows)
      return c.json({ traces, total: await countBrowsed(storage.db, page) }, 200)
    },
  )

  app.openapi(
    createRoute({
      ...validate,
      middleware: guarded(guards.key, guards.write, guards.moderator),
    }),
    async (c) => {
      const { id } = c.req.valid('param')
      if (!(await findTrace(storage.db, id))) throw new ApiError(404, 'Trace not found')
      await storage.transaction(async (tx) => {
        await clearFlags(tx, id)
        await updateTrace(tx, id, {
          is_flagged: 0,
          flagged_at: null,
          status: 'validated',
          updated_at: now(),
        })
      })
      return c.json({ validated: true as const, trace_id: id }, 200)
    },
  )
}
