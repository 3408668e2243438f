import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { anEvent } from '../../../test/support/a-call.ts'
import { createMetrics } from './metrics.ts'

const ok = { decision: 'ALLOW', outcome: 'ok', durationMs: 2, agent: 'ada', server: 'pg' } as const

/** What is really held, once the garbage is gone. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

describe('metrics', () => {
  it('sums up per operation, agent, server and tool', () => {
    const metrics = createMetrics()
    for (let n = 1; n <= 100; n++)
      metrics.record(anEvent({ ...ok, tool: 'query', operation: 'execute_tool', durationMs: n }))
    metrics.record(anEvent({ ...ok, decision: 'DENY', outcome: 'DENIED_BY_POLICY', durationMs: 0 }))
    metrics.record(anEvent({ ...ok, decision: 'TIMEOUT', outcome: 'TIMEOUT', durationMs: 200 }))
    metrics.record(anEvent({ ...ok, isError: true, outcome: 'tool_error' }))
    const { operations, agents, servers, tools, calls } = metrics.summary()
    const {
      p50_latency_ms: p50,
      p95_latency_ms: p95,
      p99_latency_ms: p99,
      ...rest
    } = operations['execute_tool'] ?? { p50_latency_ms: 0, p95_latency_ms: 0, p99_latency_ms: 0 }
    expect(rest).toEqual({ count: 100, avg_latency_ms: 50.5, error_rate: 0, denial_rate: 0 })
    expect(Math.abs(p50 - 50)).toBeLessThan(2.5)
    expect(Math.abs(p95 - 95)).toBeLessThan(5)
    expect(Math.abs(p99 - 99)).toBeLessThan(5)
    expect(agents['ada']).toMatchObject({ count: 103, error_rate: 0.0194, denial_rate: 0.0097 })
    expect(servers['pg']).toMatchObject({ count: 103 })
    expect(tools).toMatchObject({ 'pg/query': { count: 100 } })
    expect(calls.decisions).toEqual({ ALLOW: 101, DENY: 1, ERROR: 0, TIMEOUT: 1 })
  })

  it('counts cache hits, saved tokens, refused and dropped', () => {
    const metrics = createMetrics()
    metrics.auditDrops(() => 7)
    metrics.record(anEvent({ ...ok, cache: 'hit', tokensSaved: 100 }))
    metrics.record(anEvent({ ...ok, cache: 'miss', tokensSaved: 11 }))
    metrics.record(anEvent({ ...ok, decision: 'DENY', outcome: 'RATE_LIMITED' }))
    expect(metrics.summary().calls).toMatchObject({
      cache: { hits: 1, misses: 1 },
      tokens_saved: 111,
      rate_limited: 1,
      audit_dropped: 7,
    })
  })

  it('renders what a Prometheus server can read', () => {
    const metrics = createMetrics()
    metrics.record(anEvent({ ...ok, agent: 'a"b\\c\nd', tool: 'query' }))
    const off = metrics.gauge({
      name: 'upstreams',
      help: 'Upstreams by state.',
      read: () => [[{ state: 'ready' }, 2]],
    })
    const text = metrics.render()
    expect(text).toContain('portolan_calls_total{decision="ALLOW"} 1\n')
    expect(text).toContain(
      'portolan_agent_calls_total{agent="a\\"b\\\\c\\nd",decision="ALLOW"} 1\n',
    )
    expect(text).toContain('portolan_upstreams{state="ready"} 2\n')
    expect(text).toContain('operation="tools/call",le="0.002048"} 1\n')
    expect(text).toContain('operation="tools/call",le="0.001024"} 0\n')
    const wellFormed = /^(# (HELP|TYPE) \S+ .+|[a-z_]+(\{.*\})? [\d.e+-]+)$/
    expect(
      text
        .trimEnd()
        .split('\n')
        .filter((line) => !wellFormed.test(line)),
    ).toEqual([])
    const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(new Set(types).size).toBe(types.length)
    off()
    expect(metrics.render()).not.toContain('portolan_upstreams')
  })

  it('puts names past the cap together, in memory that stays flat over a million calls', () => {
    const metrics = createMetrics({ maxAgents: 10, maxServers: 10, maxTools: 10 })
    const event = anEvent({ ...ok })
    const names = Array.from({ length: 5_000 }, (_, n) => `name-${n}`)
    const record = (n: number) => {
      const name = names[n % names.length] ?? ''
      event.agent = name
      event.server = name
      event.tool = name
      event.outcome = name
      event.durationMs = n % 1_000
      metrics.record(event)
    }
    for (let n = 0; n < 50_000; n++) record(n)
    const before = heldBytes()
    for (let n = 0; n < 1_000_000; n++) record(n)
    expect(heldBytes() - before).toBeLessThan(1 << 20)
    const { agents, tools } = metrics.summary()
    expect(Object.keys(agents)).toHaveLength(11)
    expect(agents['other']?.count).toBe(1_050_000 - 10 * 210)
    expect(Object.keys(tools)).toHaveLength(11)
    expect(metrics.render().length).toBeLessThan(30_000)
  })
})

it('counts the names of tools and servers that exist, whatever callers make up', () => {
  const metrics = createMetrics({ maxServers: 3, maxTools: 3 })
  for (let n = 0; n < 20; n++) {
    const made = { server: `made-up-${n}`, tool: `made-up-${n}` }
    metrics.record(anEvent({ ...made, decision: 'DENY', outcome: 'DENIED_BY_POLICY' }))
    metrics.record(anEvent({ ...made, decision: 'ERROR', outcome: 'TOOL_NOT_FOUND' }))
  }
  metrics.record(anEvent({ server: 'notes', tool: 'echo', decision: 'ALLOW', outcome: 'ok' }))
  metrics.record(anEvent({ server: 'notes', tool: 'echo', decision: 'DENY' }))
  const { tools, servers } = metrics.summary()
  expect(Object.keys(tools)).toEqual(['other', 'notes/echo'])
  expect(tools['notes/echo']?.denial_rate).toBe(0.5)
  expect(Object.keys(servers)).toEqual(['other', 'notes'])
})

it('shows no secret that a caller put in the place of a name', () => {
  const metrics = createMetrics()
  const secret = `sk-ant-${'x1'.repeat(20)}`
  for (let n = 0; n < 3; n++)
    metrics.record(anEvent({ agent: secret, server: secret, tool: secret, operation: secret }))
  metrics.record(anEvent({ agent: 'ada', server: 'notes', tool: 'echo' }))
  expect(metrics.render()).not.toContain('x1x1')
  expect(JSON.stringify(metrics.summary())).not.toContain('x1x1')
  expect(metrics.render()).toContain('echo')
})
