import { createHash, randomUUID } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { outboundImpact } from '../../../../storage/traces/analytics.ts'
import { updateAccount } from '../../../../storage/traces/accounts.ts'
import {
  insertSavings,
  saveTriggerReport,
  totalSavings,
} from '../../../../storage/traces/telemetry.ts'
import { refuseSensitive } from '../../service/operations/refuse-sensitive.ts'
import { parseObject } from '../../service/present-trace.ts'
import type { CommunityDeps } from '../deps.ts'
import type { Routes } from '../http/routes.ts'

const count = z.number().int().nonnegative()

const triggerReport = z.object({
  session_id: z.string().min(1).max(200),
  trigger_stats: z.record(
    z.string().max(100),
    z.object({ fired: count, consumed: count, rate: z.number().nullish() }),
  ),
  searches_fired: count.default(0),
  traces_consumed: count.default(0),
  resolutions_total: count.default(0),
  resolutions_assisted: count.default(0),
})

const install = z.object({
  platform: z.string().max(50).nullish(),
  skill_version: z.string().max(20).nullish(),
  install_source: z.string().max(50).nullish(),
})

/** Strict, so that no additional field can identify anybody. */
const savings = z.strictObject({
  minutes_saved: z.number().min(0).max(120),
  tokens_saved: z.number().int().min(0).max(5_000_000),
  event_type: z.enum(['measured_recurrence', 'proxy_consumption']),
})

const ok = z.object({ status: z.literal('ok') })
const NOTED = { status: 'ok' as const }
const COUNTRY = /^[A-Z]{2}$/

export function telemetryRoutes(routes: Routes, deps: CommunityDeps): void {
  const { storage, settings, now } = deps

  routes.keyed({
    method: 'POST',
    path: '/telemetry/triggers',
    summary: 'Report how often the hooks of a session helped',
    kind: 'write',
    input: triggerReport,
    status: 201,
    answer: ok,
    async run({ account, input: { trigger_stats, ...counts } }) {
      refuseSensitive([counts.session_id, trigger_stats])
      await saveTriggerReport(storage.db, {
        ...counts,
        id: createHash('sha256').update(`${account.id} ${counts.session_id}`).digest('hex'),
        account_id: account.id,
        stats_json: JSON.stringify(trigger_stats),
        created_at: now(),
      })
      return NOTED
    },
  })

  routes.keyed({
    method: 'POST',
    path: '/telemetry/install',
    summary: 'Report an installation; the address it comes from is never stored',
    kind: 'other',
    input: install,
    status: 201,
    answer: ok,
    async run({ account, input, c }) {
      // Any client can send this header, so it is used only if the owner says that a proxy sets it.
      const { countryHeader } = settings
      const country = countryHeader === '' ? '' : (c.req.header(countryHeader) ?? '')
      await updateAccount(storage.db, account.id, {
        // An absent field keeps its earlier value.
        ...Object.fromEntries(Object.entries(input).filter(([, value]) => value != null)),
        ...(COUNTRY.test(country) && { country_code: country }),
        last_seen_at: now(),
      })
      return NOTED
    },
  })

  routes.keyed({
    method: 'POST',
    path: '/telemetry/ping',
    summary: 'Say that this account is alive',
    kind: 'other',
    status: 204,
    answer: z.object({}),
    async run({ account }) {
      await updateAccount(storage.db, account.id, { last_seen_at: now() })
      return {}
    },
  })

  routes.keyed({
    method: 'POST',
    path: '/telemetry/savings',
    summary: 'Report what a trace has saved; stored without identity',
    kind: 'write',
    input: savings,
    status: 201,
    answer: ok,
    async run({ input: { minutes_saved, tokens_saved, event_type } }) {
      await insertSavings(storage.db, {
        id: randomUUID(),
        minutes: minutes_saved,
        tokens: tokens_saved,
        event_type,
        created_at: now(),
      })
      return NOTED
    },
  })

  routes.everyone({
    method: 'GET',
    path: '/analytics/savings',
    summary: 'What all traces together have saved (public)',
    answer: z.object({
      total_minutes_saved: z.number(),
      total_tokens_saved: z.number(),
      total_usd_saved: z.number(),
      event_count: z.number(),
    }),
    async run() {
      const { minutes, tokens, events } = await totalSavings(storage.db)
      return {
        total_minutes_saved: minutes,
        total_tokens_saved: tokens,
        total_usd_saved: (tokens / 1e6) * settings.savingsPricePerMtok,
        event_count: events,
      }
    },
  })

  routes.keyed({
    method: 'GET',
    path: '/analytics/impact/outbound',
    summary: 'What the traces of this account have saved others',
    kind: 'read',
    answer: z.object({
      tokens_saved_for_others: z.number(),
      minutes_saved_for_others: z.number(),
      trace_count: z.number(),
    }),
    async run({ account }) {
      const used = await outboundImpact(storage.db, account.id)
      const sum = (...names: string[]): number =>
        used.reduce((total, { metadata_json, retrieval_count }) => {
          const metadata = parseObject(metadata_json)
          const effort = names.map((name) => metadata[name]).find((value) => Number.isFinite(value))
          return total + Number(effort ?? 0) * retrieval_count
        }, 0)
      return {
        tokens_saved_for_others: sum('tokens_to_resolution'),
        minutes_saved_for_others: sum('minutes', 'time_to_resolution_minutes'),
        trace_count: used.length,
      }
    },
  })
}
