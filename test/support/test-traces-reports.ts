import { describe, expect, it } from 'vitest'
import type { StorageOptions } from '../../src/storage/open-storage.ts'
import type { TracesSettings } from '../../src/builtins/traces/service/settings.ts'
import { aTracesService } from './a-traces-service.ts'
import { aTrace } from './traces-client.ts'
import { type Fresh, tracesSuite } from './traces-suite.ts'

/** Tests the reports of the service for its owner and the public. */
export function testReports(engine: string, fresh?: Fresh): void {
  describe(`traces reports on ${engine}`, () => {
    const on = tracesSuite(fresh)

    it('takes telemetry without identity, and sums what was saved', async () => {
      expect(
        (
          await on.reader.post('/telemetry/savings', {
            minutes_saved: 10,
            tokens_saved: 2_000_000,
            event_type: 'measured_recurrence',
          })
        ).status,
      ).toBe(201)
      expect(
        (
          await on.reader.post('/telemetry/savings', {
            minutes_saved: 1,
            tokens_saved: 1,
            event_type: 'measured_recurrence',
            user: 'me',
          })
        ).status,
      ).toBe(422)
      const { body } = await on.service.request('GET', '/api/v1/analytics/savings')
      expect(body).toEqual({
        total_minutes_saved: 10,
        total_tokens_saved: 2_000_000,
        total_usd_saved: 10,
        event_count: 1,
      })
      expect((await on.reader.post('/telemetry/ping')).status).toBe(204)
      expect(
        (await on.reader.post('/telemetry/install', { platform: 'linux', skill_version: '1' }))
          .status,
      ).toBe(201)
      // A second beacon with fewer fields does not remove earlier ones.
      expect((await on.reader.post('/telemetry/install', {})).status).toBe(201)
      const platforms = await on.service.owner('GET', '/analytics/platforms')
      expect(platforms.body.platforms).toContainEqual({ name: 'linux', count: 1 })
      const report = {
        session_id: 's',
        trigger_stats: { bash_error: { fired: 4, consumed: 1 } },
        searches_fired: 4,
        traces_consumed: 1,
        resolutions_total: 2,
        resolutions_assisted: 1,
      }
      // A session reports its totals so far: reporting them twice counts once.
      for (let n = 0; n < 2; n += 1)
        expect((await on.reader.post('/telemetry/triggers', report)).status).toBe(201)
      const triggers = await on.service.owner('GET', '/analytics/triggers')
      expect(triggers.body.triggers).toEqual([
        { trigger: 'bash_error', fired: 4, consumed: 1, rate: 0.25 },
      ])
      const assisted = await on.service.owner('GET', '/analytics/assisted-resolution')
      expect(assisted.body).toMatchObject({ consumption_rate: 0.25, assisted_rate: 0.5 })
    })

    it('learns a country from the header of a proxy that it was told to trust, and from no other', async () => {
      expect(await countryOf(on.service.place, {}, 'FR')).toBeNull()
      expect(await countryOf(on.service.place, { countryHeader: 'CF-IPCountry' }, 'FR')).toBe('FR')
      expect(
        await countryOf(on.service.place, { countryHeader: 'CF-IPCountry' }, 'nowhere'),
      ).toBeNull()
    })

    it('tells an author what its traces have saved others', async () => {
      const writer = await on.service.account()
      const { body: trace } = await writer.post('/traces', aTrace({ tokens_to_resolution: 1000 }))
      await on.reader.get(`/traces/${trace.id}`)
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
      expect((await on.service.request('GET', `/api/v1/${path}`)).status).toBe(401)
      const { status, body } = await on.service.owner('GET', `/${path}`)
      expect(status).toBe(200)
      expect(JSON.stringify(body)).not.toContain('_hash')
    })

    it('writes days and moments as the rest of the API does', async () => {
      const report = async (path: string) => (await on.service.owner('GET', path)).body
      const today = new Date().toISOString().slice(0, 10)
      await on.service.account({ isNew: true })
      const { signups } = await report('/admin/signups/timeline')
      expect(signups).toContainEqual({ day: today, count: expect.any(Number) })
      const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      const { sessions } = await report('/admin/sessions/recent')
      expect(sessions).toContainEqual(expect.objectContaining({ created_at: moment }))
      expect(await report(`/admin/users/${on.reader.id}`)).toMatchObject({ last_seen_at: moment })
    })

    it('deletes only accounts that nothing refers to', async () => {
      await on.author.post('/traces', aTrace())
      const used = await on.service.owner('DELETE', `/admin/users/${on.author.id}`)
      expect([used.status, used.body.references.traces > 0]).toEqual([409, true])
      const unused = await on.service.account()
      expect((await on.service.owner('DELETE', `/admin/users/${unused.id}`)).status).toBe(200)
    })

    it('lists tags in order', async () => {
      const { body } = await on.reader.get('/tags')
      const names: string[] = body.tags
      expect(names).toEqual(names.toSorted())
      expect(body.tags).toContain('postgres')
    })

    it('is well', async () => {
      const { status, body } = await on.service.request('GET', '/health')
      expect([status, body]).toEqual([
        200,
        {
          status: 'ok',
          checks: {
            database: 'ok',
            redis: 'off',
            embedding_worker: 'off',
            consolidation_worker: 'not run yet',
          },
        },
      ])
    })
  })
}

async function countryOf(
  place: StorageOptions,
  settings: Partial<TracesSettings>,
  sent: string,
): Promise<unknown> {
  const service = await aTracesService({ place, settings })
  const agent = await service.account()
  const headers = { 'CF-IPCountry': sent }
  await service.request('POST', '/api/v1/telemetry/install', { key: agent.key, body: {}, headers })
  return (await service.owner('GET', `/admin/users/${agent.id}`)).body.country_code
}
