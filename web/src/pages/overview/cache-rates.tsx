import type { UsageView } from '../../../../src/dashboard/contract/overview.ts'
import { formatPercent, formatWhole } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'

export function CacheRates({ usage }: { readonly usage: UsageView }) {
  const { hits: allHits, misses: allMisses } = usage.all
  const byServer = usage.servers.filter(({ hits, misses }) => hits + misses > 0)
  return (
    <Panel
      title="Cache hit rate"
      aside={
        allHits + allMisses === 0
          ? undefined
          : `${formatPercent(allHits / (allHits + allMisses))} over all`
      }
    >
      {byServer.length === 0 && (
        <p class="small">
          Nothing was looked up yet. Results of read-only tools are kept where <code>cache</code> in{' '}
          <code>portolan.yaml</code> says so.
        </p>
      )}
      <ul class="bars">
        {byServer.map(({ name, hits, misses }) => (
          <li key={name}>
            <span class="mono clip">{name}</span>
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${Math.round((hits / (hits + misses)) * 100)}%` }} />
            </span>
            <span class="number">
              {formatPercent(hits / (hits + misses))}
              <span class="heard">
                {formatWhole(hits)} of {formatWhole(hits + misses)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
