import type { Overview } from '../../../../src/dashboard/contract/overview.ts'
import { formatPercent, formatWhole } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'

export function CacheRates({ cache }: { readonly cache: Overview['cache'] }) {
  return (
    <Panel
      title="Cache hit rate"
      aside={cache.hitRate === null ? undefined : `${formatPercent(cache.hitRate)} over all`}
    >
      {cache.byServer.length === 0 && (
        <p class="small">
          Nothing was looked up yet. Results of read-only tools are kept where <code>cache</code> in{' '}
          <code>portolan.yaml</code> says so.
        </p>
      )}
      <ul class="bars">
        {cache.byServer.slice(0, 8).map(({ server, hits, misses, hitRate }) => (
          <li key={server}>
            <span class="mono clip">{server}</span>
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${Math.round(hitRate * 100)}%` }} />
            </span>
            <span class="number">
              {formatPercent(hitRate)}
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
