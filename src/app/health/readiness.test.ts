import { expect, it, vi } from 'vitest'
import { createReadiness } from './readiness.ts'

const fine = { name: 'fine', required: true, probe: () => undefined }

it('is ready while nothing is wrong', async () => {
  expect(await createReadiness([fine])()).toEqual({
    status: 'ready',
    checks: { fine: { ok: true, required: true } },
  })
})

it('is only degraded without what it can do without', async () => {
  const redis = {
    name: 'redis',
    required: false,
    probe() {
      throw new Error('not connected')
    },
  }
  expect(await createReadiness([fine, redis])()).toMatchObject({
    status: 'degraded',
    checks: { redis: { ok: false, error: 'not connected' } },
  })
})

it('says since when something is missing, and forgets it once it is back', async () => {
  vi.useFakeTimers({ now: 1_000_000 })
  let broken = true
  const ready = createReadiness([
    {
      name: 'database',
      required: true,
      async probe() {
        if (broken) throw Object.assign(new Error('at 10.0.0.7'), { code: 'ECONNREFUSED' })
      },
    },
  ])
  const { status, checks } = await ready()
  vi.setSystemTime(1_060_000)
  expect([status, (await ready()).checks['database']]).toEqual(['unready', checks['database']])
  expect(checks['database']).toEqual({
    ok: false,
    required: true,
    since: new Date(1_000_000).toISOString(),
    error: 'ECONNREFUSED',
  })
  broken = false
  expect((await ready()).status).toBe('ready')
  vi.useRealTimers()
})

it('does not wait for what never answers', async () => {
  const ready = createReadiness([
    { name: 'stuck', required: true, probe: async () => new Promise<void>(() => {}) },
  ])
  expect((await ready()).checks['stuck']).toMatchObject({ error: 'no answer within 2000 ms' })
})
