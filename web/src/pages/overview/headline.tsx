import type { Overview } from '../../../../src/dashboard/contract/overview.ts'
import { Sparkline } from '../../chart/sparkline.tsx'
import type { Buckets } from '../../chart/time-buckets.ts'
import { formatCount, formatMs, formatPercent, formatWhole } from '../../format.ts'
import { Figure } from '../../ui/figures/figure.tsx'

interface HeadlineProps {
  readonly figures: Overview
  readonly buckets: Buckets
}

/** The five most important numbers. */
export function Headline({ figures, buckets }: HeadlineProps) {
  const { calls, latency, recentLatency, tokens, cache } = figures
  const failed =
    calls.decisions.ERROR + calls.decisions.TIMEOUT + (calls.outcomes['tool_error'] ?? 0)
  const all = buckets.answered.map(
    (value, n) => value + (buckets.denied[n] ?? 0) + (buckets.errors[n] ?? 0),
  )
  const now = recentLatency ?? latency
  return (
    <div class="figures">
      <Figure
        name="Calls"
        value={<span data-figure="calls">{formatCount(calls.total)}</span>}
        note={`${perSecond(calls.perSecond)} a second now`}
      >
        <Sparkline values={all} />
      </Figure>
      <Figure
        name="Failed"
        value={calls.total === 0 ? '–' : formatPercent(failed / calls.total)}
        note={`${formatWhole(failed)} failed, ${formatWhole(calls.decisions.DENY)} denied`}
      >
        <Sparkline values={buckets.errors} tint="vermilion" />
      </Figure>
      <Figure
        name={recentLatency === null ? 'Latency p95' : 'Latency p95, 5 min'}
        value={calls.total === 0 ? '–' : formatMs(now.p95Ms)}
        note={`median ${formatMs(now.p50Ms)}, p99 ${formatMs(now.p99Ms)}`}
      >
        <Sparkline values={buckets.p95Ms.map((value) => value ?? 0)} tint="ochre" />
      </Figure>
      <Figure
        name="Tokens saved"
        value={formatCount(tokens.total)}
        note={
          tokens.definitions.allTokens === 0
            ? 'no tools are listed yet'
            : `a listing costs ${formatCount(tokens.definitions.shownTokens)} of ${formatCount(tokens.definitions.allTokens)}`
        }
      >
        <Sparkline
          values={buckets.discovery.map((value, n) =>
            Math.max(0, value + (buckets.budgets[n] ?? 0)),
          )}
          tint="verdigris"
        />
      </Figure>
      <Figure
        name="Cache hits"
        value={cache.hitRate === null ? '–' : formatPercent(cache.hitRate)}
        note={`${formatWhole(cache.hits)} of ${formatWhole(cache.hits + cache.misses)} lookups`}
      >
        <Sparkline values={buckets.hitRate.map((value) => value ?? 0)} />
      </Figure>
    </div>
  )
}

function perSecond(rate: number): string {
  return rate === 0 ? '0' : rate < 10 ? rate.toFixed(1) : formatWhole(rate)
}
