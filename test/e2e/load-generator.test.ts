import { expect, it } from 'vitest'
import { type LoadOptions, runLoad } from '../../bench/load/run-load.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

async function load(url: string, tool: string, options: Partial<LoadOptions> = {}) {
  return runLoad({
    url: new URL(`${url}/mcp?surface=direct`),
    eras: ['legacy', 'modern'],
    work: { method: 'tools/call', params: { name: tool, arguments: { text: 'hello' } } },
    concurrency: 4,
    durationMs: 1_000,
    timeoutMs: 10_000,
    headers: {},
    ...options,
  })
}

it('measures a running gateway in both eras', async () => {
  const { url } = await openGateway({ servers: { one: stdioUpstream() } })
  const report = await load(url, 'echo')
  expect(report).toMatchObject({ eras: ['legacy', 'modern'], concurrency: 4, errors: {} })
  expect(report.rps).toBeGreaterThan(0)
  expect(report.p50_ms).toBeLessThanOrEqual(report.p99_ms)
  const counted = await (await fetch(`${url}/metrics`)).text()
  const calls = Number(/portolan_calls_total\{decision="ALLOW"\} (\d+)/.exec(counted)?.[1])
  expect(calls).toBe(report.requests)
})

it('counts errors by their code', async () => {
  const { url } = await openGateway({
    servers: { one: stdioUpstream() },
    settings: { limits: { ratePerMinute: 60, burst: 5 } },
  })
  const { errors } = await load(url, 'one__fail', { eras: ['modern'], concurrency: 2 })
  expect(['tool error', '-32005']).toEqual(expect.arrayContaining(Object.keys(errors)))
  expect(errors).not.toEqual({})
})

it('ends at once where nothing listens', async () => {
  await expect(load('http://127.0.0.1:1', 'echo', { durationMs: 30_000 })).rejects.toThrow(
    'Nothing listens at http://127.0.0.1:1/mcp?surface=direct (ECONNREFUSED)',
  )
})
