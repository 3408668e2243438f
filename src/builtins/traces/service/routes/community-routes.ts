import { createRoute, z } from '@hono/zod-openapi'
import { findAccount } from '../../../../storage/traces/accounts.ts'
import { invitationsOf } from '../../../../storage/traces/invitations.ts'
import { latestTrends, tagNames } from '../../../../storage/traces/tags.ts'
import { wantedTraces } from '../../../../storage/traces/telemetry.ts'
import { reputationOf } from '../../../../storage/traces/votes.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import type { Guards } from '../http/guards.ts'
import { SECURED, answer, guarded, idParam, jsonBody, problems } from '../http/route-parts.ts'
import type { TracesApp } from '../http/traces-env.ts'
import { INVITES_FOR_NEWCOMERS, invite, redeem } from '../operations/accounts/invitations.ts'
import { parseList, toIso } from '../present-trace.ts'
import { refuseSensitive } from '../operations/refuse-sensitive.ts'

const MAX_TRENDS = 10

/** Routes for tags, reputation, invitations and wanted traces. */
export function communityRoutes(app: TracesApp, deps: Deps, guards: Guards): void {
  const { storage } = deps
  const reads = guarded(guards.key, guards.read)

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/tags',
      summary: 'All tags in use',
      security: SECURED,
      middleware: reads,
      responses: {
        200: answer(z.object({ tags: z.array(z.string()) }), 'Sorted'),
        ...problems(401, 429),
      },
    }),
    async (c) => c.json({ tags: await tagNames(storage.db) }, 200),
  )

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/tags/trending',
      summary: 'Tags that grew in the latest week',
      security: SECURED,
      middleware: reads,
      responses: {
        200: answer(
          z.object({
            trending: z.array(
              z.object({
                tag: z.string(),
                growth_rate: z.number(),
                trace_count: z.number(),
                prior_count: z.number(),
                period_end: z.string(),
              }),
            ),
          }),
          'Fastest first',
        ),
        ...problems(401, 429),
      },
    }),
    async (c) => {
      const trends = await latestTrends(storage.db, MAX_TRENDS)
      const trending = trends.map((trend) => ({ ...trend, period_end: toIso(trend.period_end) }))
      return c.json({ trending }, 200)
    },
  )

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/wanted',
      summary: 'What agents looked for and did not find',
      security: SECURED,
      middleware: reads,
      responses: {
        200: answer(
          z.object({
            wanted: z.array(
              z.object({
                query: z.string().nullable(),
                tags: z.array(z.string()),
                asked: z.number(),
                last_asked_at: z.string(),
              }),
            ),
          }),
          'Most asked first',
        ),
        ...problems(401, 429),
      },
    }),
    async (c) => {
      await deps.searches.flush()
      const rows = await wantedTraces(storage.db, 50)
      const wanted = rows.map(({ query, tags_json, asked, last_asked_at }) => ({
        query,
        tags: parseList(tags_json),
        asked,
        last_asked_at: toIso(last_asked_at),
      }))
      return c.json({ wanted }, 200)
    },
  )

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/contributors/{id}/reputation',
      summary: 'How an account is trusted, overall and per tag',
      security: SECURED,
      middleware: reads,
      request: { params: idParam },
      responses: {
        200: answer(
          z.object({
            user_id: z.string(),
            overall_wilson_score: z.number(),
            domains: z.array(
              z.object({
                domain_tag: z.string(),
                wilson_score: z.number(),
                upvote_count: z.number(),
                downvote_count: z.number(),
              }),
            ),
          }),
          'Best domain first',
        ),
        ...problems(401, 404, 422, 429),
      },
    }),
    async (c) => {
      const { id } = c.req.valid('param')
      const account = await findAccount(storage.db, id)
      if (!account) throw new ApiError(404, 'Contributor not found')
      const domains = await reputationOf(storage.db, id)
      return c.json(
        {
          user_id: id,
          overall_wilson_score: account.reputation_score,
          domains: domains.map(({ tag, ...rest }) => ({ domain_tag: tag, ...rest })),
        },
        200,
      )
    },
  )

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/invitations',
      summary: 'Make an invitation code',
      security: SECURED,
      middleware: guarded(guards.key, guards.write, guards.contributor),
      request: { body: jsonBody(z.object({ note: z.string().max(255).nullish() })) },
      responses: {
        201: answer(
          z.object({
            code: z.string(),
            door: z.literal('vouched'),
            invites_remaining: z.number(),
            message: z.string(),
          }),
          'The code, shown this once',
        ),
        ...problems(401, 403, 422, 429),
      },
    }),
    async (c) => {
      const { note } = c.req.valid('json')
      refuseSensitive(note)
      const code = await invite(deps, c.get('account'), note ?? null)
      const account = await findAccount(storage.db, c.get('account').id)
      return c.json(
        {
          code,
          door: 'vouched' as const,
          invites_remaining: account?.invites_remaining ?? 0,
          message: 'Pass it on: it opens once.',
        },
        201,
      )
    },
  )

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/invitations/redeem',
      summary: 'Use an invitation code',
      security: SECURED,
      middleware: guarded(guards.key, guards.other),
      request: { body: jsonBody(z.object({ code: z.string().min(8).max(128) })) },
      responses: {
        200: answer(
          z.object({
            can_contribute: z.literal(true),
            entry_door: z.string(),
            invites_remaining: z.number(),
          }),
          'Welcome',
        ),
        ...problems(401, 404, 409, 422, 429),
      },
    }),
    async (c) => {
      const entry_door = await redeem(deps, c.get('account'), c.req.valid('json').code)
      return c.json(
        { can_contribute: true as const, entry_door, invites_remaining: INVITES_FOR_NEWCOMERS },
        200,
      )
    },
  )

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/invitations',
      summary: 'The invitations of this account',
      security: SECURED,
      middleware: guarded(guards.key, guards.other),
      responses: {
        200: answer(
          z.object({
            invitations: z.array(
              z.object({
                id: z.string(),
                door: z.string(),
                note: z.string().nullable(),
                created_at: z.string(),
                redeemed: z.boolean(),
              }),
            ),
            invites_remaining: z.number(),
          }),
          'Newest first',
        ),
        ...problems(401, 429),
      },
    }),
    async (c) => {
      const account = c.get('account')
      const rows = await invitationsOf(storage.db, account.id)
      const invitations = rows.map(({ id, door, note, created_at, redeemed_by }) => ({
        id,
        door,
        note,
        created_at: toIso(created_at),
        redeemed: redeemed_by !== null,
      }))
      return c.json({ invitations, invites_remaining: account.invites_remaining }, 200)
    },
  )
}
