import { expect, it } from 'vitest'
import type { CallEvent } from '../../gateway/call.ts'
import { toAuditEntry } from '../audit/audit-entry.ts'
import { createPrices } from './prices.ts'
import type { SpanName } from './spans.ts'
import { toEvent } from './to-event.ts'
import { rowsOf } from './usage-counts.ts'
import { UsageTally } from './usage-tally.ts'

const NOW = Date.parse('2026-03-10T12:34:56Z')
const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const NO_PRICES = createPrices({ tokens: {}, calls: {} })

function aCall(agoMs: number, more: Partial<CallEvent> = {}): CallEvent {
  return {
    id: 'c1',
    startedAt: NOW - agoMs,
    durationMs: 2,
    operation: 'tools/call',
    agent: 'ada',
    server: 'files',
    tool: 'read',
    decision: 'ALLOW',
    outcome: 'ok',
    ...more,
  }
}

/** Reads the calls back from the lines that the audit writes of them. */
function tallyOf(calls: readonly CallEvent[], priceOf = NO_PRICES) {
  const tally = new UsageTally()
  for (const call of calls) {
    const event = toEvent(toAuditEntry(call))
    if (event) tally.add(rowsOf(event, priceOf, NOW))
  }
  return (span: SpanName) => tally.read(span, NOW, 1)
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

it('counts a call in every time that reaches back to it, at its point', () => {
  const read = tallyOf([aCall(MINUTE_MS), aCall(2 * 60 * MINUTE_MS), aCall(10 * DAY_MS)])
  const calls = (span: SpanName) => read(span).points.map((point) => point.calls)
  expect((['1h', '24h', '7d', '30d'] as const).map((span) => sumOf(calls(span)))).toEqual([
    1, 2, 2, 3,
  ])
  expect(calls('1h')).toHaveLength(60)
  expect(calls('1h').indexOf(1)).toBe(58)
  expect(calls('30d').indexOf(1)).toBe(19)
  expect(read('30d').sinceMs).toBe(Date.parse('2026-02-28T00:00:00Z'))
})

it('tells answered, denied and failed calls, cache and tokens apart', () => {
  const { all, latency } = tallyOf([
    aCall(5, { cache: 'miss', tokenCount: 100, tokensSaved: 40 }),
    aCall(5, { cache: 'hit', tokenCount: 60 }),
    aCall(5, { decision: 'DENY', outcome: 'DENIED_BY_POLICY' }),
    aCall(5, { decision: 'TIMEOUT' }),
    aCall(5, { isError: true, outcome: 'tool_error', durationMs: 200 }),
    aCall(5, { operation: 'dashboard', tool: 'keys.create' }),
  ])('24h')
  expect(all).toMatchObject({ calls: 5, denied: 1, failed: 2, hits: 1, misses: 1 })
  expect(all).toMatchObject({ tokens: 160, cached_tokens: 60, saved_tokens: 40 })
  expect(latency?.p50).toBeCloseTo(2, 0)
  expect(latency?.p99).toBeGreaterThan(190)
})

it('names agents, servers and tools, most calls first, and none of which a refusal is all we know', () => {
  const { agents, servers, tools } = tallyOf([
    aCall(5, { agent: 'bob' }),
    aCall(5, { tool: 'write' }),
    aCall(5, { tool: 'write' }),
    aCall(5, { server: 'made-up', decision: 'DENY' }),
    aCall(5, { server: 'made-up-too', decision: 'ERROR', outcome: 'SERVER_NOT_FOUND' }),
  ])('1h')
  expect(agents.map(({ name, calls }) => [name, calls])).toEqual([
    ['ada', 4],
    ['bob', 1],
  ])
  expect(servers.map(({ name }) => name)).toEqual(['files'])
  expect(tools.map(({ name }) => name)).toEqual(['files/write', 'files/read'])
})

it('keeps names within a limit, whatever callers call themselves', () => {
  const many = Array.from({ length: 1_500 }, (_, n) => aCall(5, { agent: `agent-${n}` }))
  const { agents, all } = tallyOf(many)('1h')
  expect(all.calls).toBe(1_500)
  expect(agents).toHaveLength(601)
  expect(agents[0]).toMatchObject({ name: 'other', calls: 900 })
})

it('prices the tokens that an agent reads, and the calls that a server answers', () => {
  const priceOf = createPrices({
    tokens: { '*': 1, 'claude*': 3, 'claude-mini': 0.5 },
    calls: { 'files.*': 0.01, 'files.read': 0.5 },
  })
  const cost = (more: Partial<CallEvent>) =>
    tallyOf([aCall(5, { tokenCount: 1_000_000, server: 'free', ...more })], priceOf)('1h').all.money
  expect(cost({ agent: 'bob' })).toBe(1)
  expect(cost({ agent: 'claude-code' })).toBe(3)
  expect(cost({ agent: 'claude-mini' })).toBe(0.5)
  expect(cost({ agent: 'bob', server: 'files' })).toBe(1.5)
  expect(cost({ agent: 'bob', server: 'files', tool: 'write' })).toBeCloseTo(1.01)
  // A script reads it, and not a model; the server of a cached answer is not asked.
  expect(cost({ agent: 'bob', server: 'files', parent: 'c0' })).toBe(0.5)
  expect(cost({ agent: 'bob', server: 'files', cache: 'hit' })).toBe(1)
  expect(cost({ agent: 'bob', server: 'files', decision: 'DENY' })).toBe(1)
})

it('counts lists of tools for the rights of whoever listed them', () => {
  const list = { operation: 'tools/list', surface: 'discover' as const }
  const { lists, all } = tallyOf([
    aCall(5, list),
    aCall(5, list),
    aCall(5, { ...list, agent: 'codex', client: 'codex-mcp-client', ancestors: ['default'] }),
    aCall(5, { ...list, agent: 'helper', ancestors: ['ada'] }),
    aCall(5, { ...list, surface: 'direct' }),
    aCall(5, { operation: 'find_tools', answerChars: 400 }),
  ])('1h')
  expect(all).toMatchObject({ lists: 4, list_chars: 400 })
  expect(
    Object.fromEntries(Object.entries(lists).map(([who, n]) => [JSON.parse(who).id, n])),
  ).toEqual({
    ada: 2,
    codex: 1,
    helper: 1,
  })
  expect(Object.keys(lists).some((who) => who.includes('"ancestors":["default"]'))).toBe(true)
  expect(Object.keys(lists).some((who) => who.includes('"ancestors":["ada"]'))).toBe(false)
})
