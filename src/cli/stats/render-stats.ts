import { type Terminal, count, number } from '../shared/terminal/terminal.ts'
import type { RunningSummary } from './running-gateway.ts'
import type { Stats } from './run-stats.ts'
import type { Counted } from './usage.ts'

const SHOWN = 10

export function renderStats({ usage, savings, recorded }: Stats, terminal: Terminal): void {
  const { line, paint } = terminal
  const { decisions, all, agents, tools } = usage
  if (all.calls === 0) {
    line(`No calls in this time (${recorded.source}). A longer one: --since 30d`)
    return
  }
  line(
    `${count(all.calls, 'request')} of ${count(agents.size, 'agent')}, ${day(usage.first)} to ${day(usage.last)}`,
  )
  line(
    `  ${number(decisions.ALLOW)} allowed, ${number(decisions.DENY)} denied, ` +
      `${number(decisions.ERROR + decisions.TIMEOUT)} failed`,
  )
  const { events, answers } = usage.approvals
  if (events.size > 0)
    line(
      `  Approvals: ${[...events].map(([what, n]) => `${number(n)} ${what}`).join(', ')}` +
        (answers.count > 0 ? `, answered within ${seconds(answers.quantile(0.5))} (p50)` : ''),
    )
  const { discovery, budgets, cache } = savings
  line(`\n${paint('bold', 'Saved')}`)
  terminal.table([
    [
      'by discovery',
      paint('green', `${number(discovery.tokens)} tokens`),
      `${count(discovery.lists, 'list')} of ${number(discovery.tokensPerList)} instead of ${number(discovery.tokensPerDirectList)} tokens`,
    ],
    [
      'by budgets',
      paint('green', `${number(budgets.tokens)} tokens`),
      `${count(budgets.results, 'result')} shortened`,
    ],
    [
      'by the cache',
      paint('green', seconds(cache.savedMs)),
      `${number(cache.hits)} of ${number(cache.hits + cache.misses)} lookups were hits`,
    ],
  ])
  if (discovery.notCounted.length > 0)
    line(
      `  ${paint('yellow', '⚠')} not counted, as never heard: ${discovery.notCounted.join(', ')}`,
    )
  line(`\n${paint('bold', 'Latency')}`)
  const busiest = [...tools].toSorted((a, b) => b[1].calls - a[1].calls).slice(0, SHOWN)
  terminal.table([
    ['', 'calls', 'errors', 'p50', 'p95', 'p99'].map((title) => paint('gray', title)),
    row('all requests', all),
    ...busiest.map(([name, each]) => row(name, each)),
  ])
  line(paint('gray', '\nHow these are made: portolan stats --explain'))
}

function row(name: string, { calls, errors, latency }: Counted): string[] {
  return [name, number(calls), number(errors), ...QUANTILES.map((q) => ms(latency.quantile(q)))]
}

const QUANTILES = [0.5, 0.95, 0.99]

export function renderRunning(summary: RunningSummary, terminal: Terminal): void {
  const { line, paint } = terminal
  const { calls, uptime_seconds: uptime, operations, tools } = summary
  const decisions = Object.entries(calls.decisions).map(([name, n]) => `${number(n)} ${name}`)
  line(`Since its start ${seconds(uptime * 1000)} ago: ${decisions.join(', ')}`)
  line(`Saved by budgets: ${paint('green', `${number(calls.tokens_saved)} tokens`)}`)
  line(
    `Cache: ${number(calls.cache.hits)} of ${number(calls.cache.hits + calls.cache.misses)} lookups were hits`,
  )
  const rows = [...Object.entries(operations), ...Object.entries(tools)]
  terminal.table([
    ['', 'calls', 'errors', 'p50', 'p95', 'p99'].map((title) => paint('gray', title)),
    ...rows
      .toSorted((a, b) => b[1].count - a[1].count)
      .slice(0, 2 * SHOWN)
      .map(([name, each]) => [
        name,
        number(each.count),
        number(Math.round(each.count * each.error_rate)),
        ms(each.p50_latency_ms),
        ms(each.p95_latency_ms),
        ms(each.p99_latency_ms),
      ]),
  ])
}

export function toStatsJson({ usage, savings, recorded }: Stats) {
  const { discovery, budgets, cache } = savings
  const all = (map: ReadonlyMap<string, Counted>) =>
    Object.fromEntries([...map].map(([name, each]) => [name, counted(each)]))
  return {
    audit: recorded.source,
    from: usage.first ?? null,
    to: usage.last ?? null,
    unreadable_lines: recorded.unreadable,
    requests: counted(usage.all),
    decisions: usage.decisions,
    approvals: {
      ...Object.fromEntries(usage.approvals.events),
      answer_p50_ms: usage.approvals.answers.quantile(0.5),
    },
    saved: {
      discovery: {
        tokens: discovery.tokens,
        lists: discovery.lists,
        tokens_per_list: discovery.tokensPerList,
        tokens_per_direct_list: discovery.tokensPerDirectList,
        tokens_described: discovery.tokensDescribed,
        not_counted: discovery.notCounted,
      },
      budgets,
      cache: { hits: cache.hits, misses: cache.misses, saved_ms: Math.round(cache.savedMs) },
    },
    agents: all(usage.agents),
    tools: all(usage.tools),
  }
}

function counted({ calls, errors, latency }: Counted) {
  return {
    calls,
    errors,
    p50_ms: latency.quantile(0.5),
    p95_ms: latency.quantile(0.95),
    p99_ms: latency.quantile(0.99),
  }
}

function day(iso: string | undefined): string {
  return iso?.slice(0, 16).replace('T', ' ') ?? ''
}

function ms(value: number): string {
  return value >= 1000 ? seconds(value) : `${value.toFixed(value < 10 ? 1 : 0)} ms`
}

function seconds(value: number): string {
  const s = value / 1000
  if (s < 60) return `${s.toFixed(1)} s`
  return s < 3600 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`
}
