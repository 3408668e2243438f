import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type TestAccount,
  type TracesUnderTest,
  aTrace,
  aTracesService,
} from './a-traces-service.ts'
import type { Place } from './test-traces-api.ts'

/** What the service tells its owner and the public about itself. */
export function testReports(engine: string, fresh: () => Promise<Place>): void {
  describe(`traces reports on ${engine}`, () => {
    let place: Place
    let service: TracesUnderTest
    let author: TestAccount
    let reader: TestAccount

    beforeAll(async () => {
      place = await fresh()
      service = await aTracesService({ place })
      author = await service.account()
      reader = await service.account()
    })
    afterAll(async () => {
      await service.close()
      await place.remove()
    })

    it('takes telemetry without identity, and sums what was saved', async () => {
      expect(
        (
          await reader.post('/telemetry/savings', {
            minutes_saved: 10,
            tokens_saved: 2_000_000,
            event_type: 'measured_recurrence',
          })
        ).status,
      ).toBe(201)
      expect(
        (
          await reader.post('/telemetry/savings', {
            minutes_saved: 1,
            tokens_saved: 1,
            event_type: 'measured_recurrence',
            user: 'me',
          })
        ).status,
      ).toBe(422)
      const { body } = await service.request('GET', '/api/v1/analytics/savings')
      expect(body).toEqual({
        total_minutes_saved: 10,
        total_tokens_saved: 2_000_000,
        total_usd_saved: 10,
        event_count: 1,
      })
      expect((await reader.post('/telemetry/ping')).status).toBe(204)
      expect(
        (await reader.post('/telemetry/install', { platform: 'linux', skill_version: '1' })).status,
      ).toBe(201)
      const report = {
        session_id: 's',
        trigger_stats: { bash_error: { fired: 4, consumed: 1 } },
        searches_fired: 4,
        traces_consumed: 1,
        resolutions_total: 2,
        resolutions_assisted: 1,
      }
      expect((await reader.post('/telemetry/triggers', report)).status).toBe(201)
      const headers = { 'X-Admin-Token': 'owner' }
      const triggers = await service.request('GET', '/api/v1/analytics/triggers', { headers })
      expect(triggers.body.triggers).toEqual([
        { trigger: 'bash_error', fired: 4, consumed: 1, rate: 0.25 },
      ])
      const assisted = await service.request('GET', '/api/v1/analytics/assisted-resolution', {
        headers,
      })
      expect(assisted.body).toMatchObject({ consumption_rate: 0.25, assisted_rate: 0.5 })
    })

    it('tells an author what its traces have saved others', async () => {
      const writer = await service.account()
      const { body: trace } = await writer.post('/traces', aTrace({ tokens_to_resolution: 1000 }))
      await reader.get(`/traces/${trace.id}`)
      const { body } = await writer.get('/analytics/impact/outbound')
      expect(body).toMatchObject({ tokens_saved_for_others: 1000, trace_count: 1 })
    })

    it.each([
      'analytics/summary',
      'analytics/timeline?days=7',
      'analytics/top-tags',
      'analytics/top-traces',
      'analytics/top-contributors?limit=5',
      'analytics/geo',
      'analytics/platforms',
      'analytics/topics',
      'analytics/knowledge-health',
      'admin/health',
      'admin/users/recent',
      'admin/signups/timeline',
      'admin/sessions/recent',
      'admin/traces/recent',
      'admin/votes/recent',
      'admin/funnel',
    ])('reports %s to the owner only', async (path) => {
      expect((await service.request('GET', `/api/v1/${path}`)).status).toBe(401)
      const { status, body } = await service.request('GET', `/api/v1/${path}`, {
        headers: { 'X-Admin-Token': 'owner' },
      })
      expect(status).toBe(200)
      expect(JSON.stringify(body)).not.toContain('key_hash')
    })

    it('deletes only accounts that nothing refers to', async () => {
      await author.post('/traces', aTrace())
      const headers = { 'X-Admin-Token': 'owner' }
      const used = await service.request('DELETE', `/api/v1/admin/users/${author.id}`, { headers })
      expect([used.status, used.body.references.traces > 0]).toEqual([409, true])
      const unused = await service.account()
      expect(
        (await service.request('DELETE', `/api/v1/admin/users/${unused.id}`, { headers })).status,
      ).toBe(200)
    })

    it('lists tags in order', async () => {
      const { body } = await reader.get('/tags')
      const names: string[] = body.tags
      expect(names).toEqual(names.toSorted())
      expect(body.tags).toContain('postgres')
    })

    it('is well', async () => {
      const { status, body } = await service.request('GET', '/health')
      expect([status, body.status, body.checks.database]).toEqual([200, 'ok', 'ok'])
    })
  })
}
