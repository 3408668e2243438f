import { randomUUID } from 'node:crypto'
import { type RouteConfig, createRoute, z } from '@hono/zod-openapi'
import {
  accountReferences,
  deleteAccount,
  findAccount,
  recentAccounts,
  updateAccount,
} from '../../../../storage/traces/accounts.ts'
import * as analytics from '../../../../storage/traces/analytics.ts'
import { insertInvitations } from '../../../../storage/traces/invitations.ts'
import type { Account } from '../../../../storage/tables/trace-tables.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import type { Guards } from '../http/guards.ts'
import { ADMIN_ONLY, answer, guarded, idParam, jsonBody, problems } from '../http/route-parts.ts'
import type { TracesApp } from '../http/traces-env.ts'
import { hashKey, newInvitationCode } from '../operations/accounts/api-keys.ts'
import { knowledgeHealth } from '../health/knowledge-health.ts'
import {
  presentAccount,
  sumTriggers,
  withDates,
  withMoments,
  withRates,
} from '../operations/present-reports.ts'
import { verificationLink } from '../operations/accounts/verify-email.ts'
import { anything } from '../schemas.ts'

const DAY_MS = 86_400_000

const days = z.object({ days: z.coerce.number().int().min(1).max(365).default(30) })
const limit = (most: number, usual: number) =>
  z.object({ limit: z.coerce.number().int().min(1).max(most).default(usual) })

/** Routes for the owner of the service only, protected by the admin token. */
export function ownerRoutes(app: TracesApp, deps: Deps, guards: Guards): void {
  const { storage, settings, now } = deps
  const { db } = storage

  /** Adds a read-only report with its path, its query schema and its reader. */
  function report<Query extends z.ZodObject>(
    path: string,
    query: Query,
    read: (query: z.output<Query>) => Promise<Record<string, unknown>>,
  ): void {
    app.openapi(
      createRoute({
        method: 'get',
        path: `/api/v1/${path}`,
        summary: `Owner's report: ${path}`,
        security: ADMIN_ONLY,
        middleware: guarded(guards.admin),
        request: { query },
        responses: { 200: answer(anything, 'The report'), ...problems(401, 422, 503) },
      } satisfies RouteConfig),
      async (c) => c.json(await read(query.parse(c.req.query())), 200),
    )
  }

  const none = z.object({})
  report('analytics/summary', none, async () => {
    await deps.searches.flush()
    return analytics.totals(db, now())
  })
  report('analytics/timeline', days, async ({ days: count }) => {
    const since = now() - count * DAY_MS
    return {
      traces: withDates(await analytics.timeline(db, 'traces', since)),
      votes: withDates(await analytics.timeline(db, 'votes', since)),
      signups: withDates(await analytics.timeline(db, 'accounts', since)),
    }
  })
  report('analytics/top-tags', limit(100, 20), async (query) => ({
    tags: await analytics.topTags(db, query.limit),
  }))
  report('analytics/top-traces', limit(100, 20), async (query) => ({
    traces: await analytics.topTraces(db, query.limit),
  }))
  report('analytics/top-contributors', limit(100, 20), async (query) => ({
    contributors: await analytics.topContributors(db, query.limit),
  }))
  report('analytics/geo', none, async () => ({
    countries: await analytics.accountsBy(db, 'country_code'),
  }))
  report('analytics/platforms', none, async () => ({
    platforms: await analytics.accountsBy(db, 'platform'),
    versions: await analytics.accountsBy(db, 'skill_version'),
  }))
  report('analytics/triggers', days, async ({ days: count }) => ({
    triggers: sumTriggers(await analytics.triggerReports(db, now() - count * DAY_MS)),
  }))
  report('analytics/topics', limit(50, 20), async (query) => ({
    topics: await analytics.topics(db, now() - 7 * DAY_MS, query.limit),
  }))
  report('analytics/assisted-resolution', days, async ({ days: count }) =>
    withRates(await analytics.assistedResolution(db, now() - count * DAY_MS)),
  )
  report('analytics/knowledge-health', none, async () => ({ ...(await knowledgeHealth(deps)) }))

  report('admin/health', none, async () => ({
    ...(await analytics.totals(db, now())),
    engine: storage.engine,
  }))
  report('admin/users/recent', limit(500, 50), async (query) => ({
    users: (await recentAccounts(db, query.limit)).map(presentAccount),
  }))
  report('admin/signups/timeline', days, async ({ days: count }) => ({
    signups: withDates(await analytics.timeline(db, 'accounts', now() - count * DAY_MS)),
  }))
  report('admin/sessions/recent', limit(1000, 50), async (query) => ({
    sessions: (await analytics.recentSessions(db, query.limit)).map(withMoments),
  }))
  report('admin/traces/recent', limit(200, 50), async (query) => ({
    traces: (await analytics.recentTraces(db, query.limit)).map(withMoments),
  }))
  report('admin/votes/recent', limit(500, 50), async (query) => ({
    votes: (await analytics.recentVotes(db, query.limit)).map(withMoments),
  }))
  report('admin/funnel', none, async () => analytics.funnel(db))

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/admin/users/{id}',
      summary: 'One account',
      security: ADMIN_ONLY,
      middleware: guarded(guards.admin),
      request: { params: idParam },
      responses: { 200: answer(anything, 'The account'), ...problems(401, 404, 503) },
    }),
    async (c) => {
      const account = await known(c.req.valid('param').id)
      return c.json(
        { ...presentAccount(account), references: await accountReferences(db, account.id) },
        200,
      )
    },
  )

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/admin/invitations',
      summary: 'Make invitation codes',
      security: ADMIN_ONLY,
      middleware: guarded(guards.admin),
      request: {
        body: jsonBody(
          z.object({
            count: z.number().int().min(1).max(100).default(1),
            door: z.enum(['founding', 'vouched']).default('founding'),
            note: z.string().max(255).nullish(),
          }),
        ),
      },
      responses: {
        201: answer(z.object({ codes: z.array(z.string()) }), 'Shown this once'),
        ...problems(401, 422, 503),
      },
    }),
    async (c) => {
      const { count, door, note } = c.req.valid('json')
      const codes = Array.from({ length: count }, newInvitationCode)
      await insertInvitations(
        db,
        codes.map((code) => ({
          id: randomUUID(),
          code_hash: hashKey(code, settings.apiKeyPepper),
          door,
          note: note ?? null,
          created_at: now(),
        })),
      )
      return c.json({ codes }, 201)
    },
  )

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/admin/contributors/{id}',
      summary: 'Let an account contribute, or make it a moderator',
      security: ADMIN_ONLY,
      middleware: guarded(guards.admin),
      request: {
        params: idParam,
        body: jsonBody(
          z.object({
            door: z.enum(['earned', 'founding']).default('earned'),
            moderator: z.boolean().optional(),
          }),
        ),
      },
      responses: { 200: answer(anything, 'The account'), ...problems(401, 404, 422, 503) },
    }),
    async (c) => {
      const { id } = await known(c.req.valid('param').id)
      const { door, moderator } = c.req.valid('json')
      await updateAccount(db, id, {
        can_contribute: 1,
        entry_door: door,
        updated_at: now(),
        ...(moderator !== undefined && { is_moderator: moderator ? 1 : 0 }),
      })
      return c.json(presentAccount(await known(id)), 200)
    },
  )

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/admin/users/{id}/verification',
      summary: 'A link that confirms the e-mail address of an account, to be passed on by hand',
      security: ADMIN_ONLY,
      middleware: guarded(guards.admin),
      request: { params: idParam },
      responses: {
        201: answer(z.object({ link: z.string() }), 'Shown this once; older links stop working'),
        ...problems(401, 404, 503),
      },
    }),
    async (c) =>
      c.json({ link: await verificationLink(deps, await known(c.req.valid('param').id)) }, 201),
  )

  app.openapi(
    createRoute({
      method: 'delete',
      path: '/api/v1/admin/users/{id}',
      summary: 'Delete an account that nothing refers to',
      security: ADMIN_ONLY,
      middleware: guarded(guards.admin),
      request: { params: idParam },
      responses: {
        200: answer(z.object({ deleted: z.literal(true) }), 'Gone'),
        ...problems(401, 404, 409, 503),
      },
    }),
    async (c) => {
      const { id } = await known(c.req.valid('param').id)
      await storage.transaction(async (tx) => {
        const references = await accountReferences(tx, id)
        if (Object.values(references).some((count) => count > 0))
          throw new ApiError(409, 'The account is in use: its key can be revoked instead', {
            extra: { references },
          })
        await deleteAccount(tx, id)
      })
      return c.json({ deleted: true as const }, 200)
    },
  )

  async function known(id: string): Promise<Account> {
    const account = await findAccount(db, id)
    if (!account) throw new ApiError(404, 'Account not found')
    return account
  }
}
