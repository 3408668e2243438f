import type { Overview } from '../../../../src/dashboard/contract/overview.ts'
import { Sparkline } from '../../chart/sparkline.tsx'
import { formatCount, formatMs, formatPercent, formatWhole } from '../../format.ts'
import { Figure } from '../../ui/figures/figure.tsx'

/** The five most important numbers of the chosen time. */
export function Headline({ figures }: { readonly figures: Overview }) {
  const { usage, tokens, perSecond } = figures
  const { latency, points } = usage
  const { calls, failed, denied, hits, misses } = usage.all
  return (
    <div class="figures">
      <Figure
        name="Calls"
        value={<span data-figure="calls">{formatCount(calls)}</span>}
        note={`${rateText(perSecond)} a second now`}
      >
        <Sparkline values={points.map((point) => point.calls)} />
      </Figure>
      <Figure
        name="Failed"
        value={calls === 0 ? '–' : formatPercent(failed / calls)}
        note={`${formatWhole(failed)} failed, ${formatWhole(denied)} denied`}
      >
        <Sparkline values={points.map((point) => point.failed)} tint="vermilion" />
      </Figure>
      <Figure
        name="Latency p95"
        value={latency === null ? '–' : formatMs(latency.p95)}
        note={
          latency === null
            ? 'no calls'
            : `median ${formatMs(latency.p50)}, p99 ${formatMs(latency.p99)}`
        }
      >
        <Sparkline values={points.map((point) => point.latency?.p95 ?? 0)} tint="ochre" />
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
          values={points.map((point, n) =>
            Math.max(0, point.saved_tokens + (tokens.discoveryPoints[n] ?? 0)),
          )}
          tint="verdigris"
        />
      </Figure>
      <Figure
        name="Cache hits"
        value={hits + misses === 0 ? '–' : formatPercent(hits / (hits + misses))}
        note={`${formatWhole(hits)} of ${formatWhole(hits + misses)} lookups`}
      >
        <Sparkline
          values={points.map((point) => point.hits / Math.max(1, point.hits + point.misses))}
        />
      </Figure>
    </div>
  )
}

function rateText(rate: number): string {
  return rate === 0 ? '0' : rate < 10 ? rate.toFixed(1) : formatWhole(rate)
}
