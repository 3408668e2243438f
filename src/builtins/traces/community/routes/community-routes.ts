import { z } from '@hono/zod-openapi'
import { findAccount } from '../../../../storage/traces/accounts.ts'
import { invitationsOf } from '../../../../storage/traces/invitations.ts'
import { latestTrends } from '../../../../storage/traces/tags.ts'
import { wantedTraces } from '../../../../storage/traces/usage.ts'
import { reputationOf } from '../../../../storage/traces/votes.ts'
import { ApiError } from '../../service/api-error.ts'
import { refuseSensitive } from '../../service/operations/refuse-sensitive.ts'
import { parseList, toIso } from '../../service/present-trace.ts'
import { INVITES_FOR_NEWCOMERS, invite, redeem } from '../accounts/invitations.ts'
import type { CommunityDeps } from '../deps.ts'
import type { Routes } from '../http/routes.ts'

const MAX_TRENDS = 10
const MAX_WANTED = 50

/** Routes for trends, wanted traces, reputation and invitations. */
export function communityRoutes(routes: Routes, deps: CommunityDeps): void {
  const { storage } = deps

  routes.keyed({
    method: 'GET',
    path: '/tags/trending',
    summary: 'Tags that grew in the latest week',
    kind: 'read',
    answer: z.object({
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
    means: 'Fastest first',
    async run() {
      const trends = await latestTrends(storage.db, MAX_TRENDS)
      return {
        trending: trends.map((trend) => ({ ...trend, period_end: toIso(trend.period_end) })),
      }
    },
  })

  routes.keyed({
    method: 'GET',
    path: '/wanted',
    summary: 'What agents looked for and did not find',
    kind: 'read',
    answer: z.object({
      wanted: z.array(
        z.object({
          query: z.string().nullable(),
          tags: z.array(z.string()),
          asked: z.number(),
          last_asked_at: z.string(),
        }),
      ),
    }),
    means: 'Most asked first',
    async run() {
      await deps.searches.flush()
      const rows = await wantedTraces(storage.db, MAX_WANTED)
      return {
        wanted: rows.map(({ query, tags_json, asked, last_asked_at }) => ({
          query,
          tags: parseList(tags_json),
          asked,
          last_asked_at: toIso(last_asked_at),
        })),
      }
    },
  })

  routes.keyed({
    method: 'GET',
    path: '/contributors/{id}/reputation',
    summary: 'How an account is trusted, overall and per tag',
    kind: 'read',
    answer: z.object({
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
    means: 'Best domain first',
    async run({ id }) {
      const account = await findAccount(storage.db, id)
      if (!account) throw new ApiError(404, 'Contributor not found')
      const domains = await reputationOf(storage.db, id)
      return {
        user_id: id,
        overall_wilson_score: account.reputation_score,
        domains: domains.map(({ tag, ...rest }) => ({ domain_tag: tag, ...rest })),
      }
    },
  })

  routes.keyed({
    method: 'POST',
    path: '/invitations',
    summary: 'Make an invitation code',
    kind: 'write',
    needs: 'contributor',
    input: z.object({ note: z.string().max(255).nullish() }),
    status: 201,
    answer: z.object({
      code: z.string(),
      door: z.literal('vouched'),
      invites_remaining: z.number(),
      message: z.string(),
    }),
    means: 'The code, shown this once',
    async run({ account, input: { note } }) {
      refuseSensitive(note)
      const code = await invite(deps, account, note ?? null)
      const left = (await findAccount(storage.db, account.id))?.invites_remaining ?? 0
      const message = 'Pass it on: it can be used once.'
      return { code, door: 'vouched' as const, invites_remaining: left, message }
    },
  })

  routes.keyed({
    method: 'POST',
    path: '/invitations/redeem',
    summary: 'Use an invitation code',
    kind: 'other',
    input: z.object({ code: z.string().min(8).max(128) }),
    answer: z.object({
      can_contribute: z.literal(true),
      entry_door: z.string(),
      invites_remaining: z.number(),
    }),
    problems: [404, 409],
    async run({ account, input: { code } }) {
      const entry_door = await redeem(deps, account, code)
      return {
        can_contribute: true as const,
        entry_door,
        invites_remaining: INVITES_FOR_NEWCOMERS,
      }
    },
  })

  routes.keyed({
    method: 'GET',
    path: '/invitations',
    summary: 'The invitations of this account',
    kind: 'other',
    answer: z.object({
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
    means: 'Newest first',
    async run({ account }) {
      const rows = await invitationsOf(storage.db, account.id)
      return {
        invitations: rows.map(({ id, door, note, created_at, redeemed_by }) => ({
          id,
          door,
          note,
          created_at: toIso(created_at),
          redeemed: redeemed_by !== null,
        })),
        invites_remaining: account.invites_remaining,
      }
    },
  })
}
