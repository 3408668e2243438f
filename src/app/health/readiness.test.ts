import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { deferred } from '../../../test/support/deferred.ts'
import type { Service } from '../../protocol/service.ts'
import { createInProcess } from '../../upstreams/in-process.ts'
import { ALONE } from '../shared.ts'
import { Drain } from './draining.ts'
import { createReadiness, readinessChecks } from './readiness.ts'

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

function aGatewayWith(open: () => Promise<Service>) {
  const server = createInProcess({ name: 'notes', description: undefined, open })
  return createReadiness(
    readinessChecks({
      shared: ALONE,
      drain: new Drain(),
      reload: () => ({ mcp_config: QUIET, gateway_rules: QUIET, settings: QUIET }),
      auditLog: { status: NOTHING_LOST, probe: async () => undefined },
      servers: () => [server],
    }),
  )
}

async function damaged(): Promise<void> {
  throw Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT' })
}

const QUIET = {
  last_attempt: null,
  last_success: null,
  last_error: null,
  attempt_count: 0,
  success_count: 0,
  last_warnings: [],
}
const NOTHING_LOST = {
  path: '',
  written: 0,
  dropped: 0,
  lastError: undefined,
  losingSince: undefined,
}

function aService(check?: () => Promise<void>): Service {
  return {
    info: { name: 'notes', version: '1' },
    capabilities: {},
    handle: async () => ({ tools: [] }),
    ...(check && { check }),
    close: async () => undefined,
  }
}

it('asks again after a moment, even if the clock is set back', async () => {
  let asked = 0
  const ready = aGatewayWith(async () =>
    aService(async () => {
      asked += 1
    }),
  )
  await ready()
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
  onTestFinished(() => clock.mockRestore())
  await sleep(600)
  await ready()
  expect(asked).toBe(2)
})

it('is not ready before its built-ins are listed', async () => {
  const opened = deferred<Service>()
  const ready = aGatewayWith(async () => opened.promise)
  expect(await ready()).toMatchObject({ status: 'unready', checks: { builtins: { ok: false } } })
  opened.resolve(aService())
  expect((await ready()).status).toBe('ready')
})

it('is degraded without a built-in that cannot be opened, and not ready with a damaged database', async () => {
  const failing = aGatewayWith(async () => {
    throw new Error('no such model')
  })
  expect(await failing()).toMatchObject({
    status: 'degraded',
    checks: { builtins: { error: 'notes cannot be opened' } },
  })
  expect((await aGatewayWith(async () => aService(damaged))()).status).toBe('unready')
  expect((await aGatewayWith(async () => aService(async () => undefined))()).status).toBe('ready')
})
