import { createHash, randomUUID } from 'node:crypto'
import { createRoute, z } from '@hono/zod-openapi'
import { outboundImpact } from '../../../../storage/traces/analytics.ts'
import { updateAccount } from '../../../../storage/traces/accounts.ts'
import {
  insertSavings,
  saveTriggerReport,
  totalSavings,
} from '../../../../storage/traces/telemetry.ts'
import type { Deps } from '../deps.ts'
import type { Guards } from '../http/guards.ts'
import { SECURED, answer, guarded, jsonBody, problems } from '../http/route-parts.ts'
import type { TracesApp } from '../http/traces-env.ts'
import { parseObject } from '../present-trace.ts'
import { refuseSensitive } from '../operations/refuse-sensitive.ts'
import { install, savings, triggerReport } from '../schemas.ts'

const ok = z.object({ status: z.literal('ok') })
const COUNTRY = /^[A-Z]{2}$/

export function telemetryRoutes(app: TracesApp, deps: Deps, guards: Guards): void {
  const { storage, settings, now } = deps

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/telemetry/triggers',
      summary: 'Report how often the hooks of a session helped',
      security: SECURED,
      middleware: guarded(guards.key, guards.write),
      request: { body: jsonBody(triggerReport) },
      responses: { 201: answer(ok, 'Noted'), ...problems(401, 422, 429) },
    }),
    async (c) => {
      const { trigger_stats, ...counts } = c.req.valid('json')
      refuseSensitive([counts.session_id, trigger_stats])
      const account_id = c.get('account').id
      await saveTriggerReport(storage.db, {
        ...counts,
        id: createHash('sha256').update(`${account_id} ${counts.session_id}`).digest('hex'),
        account_id,
        stats_json: JSON.stringify(trigger_stats),
        created_at: now(),
      })
      return c.json({ status: 'ok' as const }, 201)
    },
  )

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/telemetry/install',
      summary: 'Report an installation; the address it comes from is never stored',
      security: SECURED,
      middleware: guarded(guards.key, guards.other),
      request: { body: jsonBody(install) },
      responses: { 201: answer(ok, 'Noted'), ...problems(401, 422, 429) },
    }),
    async (c) => {
      const body = c.req.valid('json')
      // Any client can send this header, so it is used only if the owner says that a proxy sets it.
      const { countryHeader } = settings
      const country = countryHeader === '' ? '' : (c.req.header(countryHeader) ?? '')
      await updateAccount(storage.db, c.get('account').id, {
        // An absent field keeps its earlier value.
        ...Object.fromEntries(Object.entries(body).filter(([, value]) => value != null)),
        ...(COUNTRY.test(country) && { country_code: country }),
        last_seen_at: now(),
      })
      return c.json({ status: 'ok' as const }, 201)
    },
  )

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/telemetry/ping',
      summary: 'Say that this account is alive',
      security: SECURED,
      middleware: guarded(guards.key, guards.other),
      responses: { 204: { description: 'Noted' }, ...problems(401, 429) },
    }),
    async (c) => {
      await updateAccount(storage.db, c.get('account').id, { last_seen_at: now() })
      return c.body(null, 204)
    },
  )

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/telemetry/savings',
      summary: 'Report what a trace has saved; stored without identity',
      security: SECURED,
      middleware: guarded(guards.key, guards.write),
      request: { body: jsonBody(savings) },
      responses: { 201: answer(ok, 'Noted'), ...problems(401, 422, 429) },
    }),
    async (c) => {
      const { minutes_saved, tokens_saved, event_type } = c.req.valid('json')
      await insertSavings(storage.db, {
        id: randomUUID(),
        minutes: minutes_saved,
        tokens: tokens_saved,
        event_type,
        created_at: now(),
      })
      return c.json({ status: 'ok' as const }, 201)
    },
  )

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/analytics/savings',
      summary: 'What all traces together have saved (public)',
      responses: {
        200: answer(
          z.object({
            total_minutes_saved: z.number(),
            total_tokens_saved: z.number(),
            total_usd_saved: z.number(),
            event_count: z.number(),
          }),
          'Sums',
        ),
      },
    }),
    async (c) => {
      const { minutes, tokens, events } = await totalSavings(storage.db)
      return c.json(
        {
          total_minutes_saved: minutes,
          total_tokens_saved: tokens,
          total_usd_saved: (tokens / 1e6) * settings.pricePerMillionTokens,
          event_count: events,
        },
        200,
      )
    },
  )

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/analytics/impact/outbound',
      summary: 'What the traces of this account have saved others',
      security: SECURED,
      middleware: guarded(guards.key, guards.read),
      responses: {
        200: answer(
          z.object({
            tokens_saved_for_others: z.number(),
            minutes_saved_for_others: z.number(),
            trace_count: z.number(),
          }),
          'Sums',
        ),
        ...problems(401, 429),
      },
    }),
    async (c) => {
      const used = await outboundImpact(storage.db, c.get('account').id)
      const sum = (...names: string[]): number =>
        used.reduce((total, { metadata_json, retrieval_count }) => {
          const metadata = parseObject(metadata_json)
          const effort = names.map((name) => metadata[name]).find((value) => Number.isFinite(value))
          return total + Number(effort ?? 0) * retrieval_count
        }, 0)
      return c.json(
        {
          tokens_saved_for_others: sum('tokens_to_resolution'),
          minutes_saved_for_others: sum('minutes', 'time_to_resolution_minutes'),
          trace_count: used.length,
        },
        200,
      )
    },
  )
}
