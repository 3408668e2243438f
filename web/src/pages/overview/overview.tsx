import { useEffect } from 'preact/hooks'
import type { Overview as Figures } from '../../../../src/dashboard/contract/overview.ts'
import { ask } from '../../api/ask.ts'
import { liveCount } from '../../api/live.ts'
import { useData } from '../../api/use-data.ts'
import { formatPercent, formatSpan } from '../../format.ts'
import { Page } from '../../ui/page.tsx'
import { Show } from '../../ui/show.tsx'
import { SpanChoice, chosenSpan } from '../../ui/span-choice.tsx'
import { AloneGateways } from './alone-gateways.tsx'
import { Busiest } from './busiest.tsx'
import { CacheRates } from './cache-rates.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Headline } from './headline.tsx'
import { Health } from './health.tsx'
import { Latencies } from './latencies.tsx'
import { Notes } from './notes.tsx'
import { Savings } from './savings.tsx'
import { Throughput } from './throughput.tsx'

const REFRESH_MS = 5_000

/** How the gateway is doing, at a glance: the calls of all clients, folders and replicas. */
export function Overview() {
  const range = chosenSpan('24h')
  const data = useData(
    range,
    async (signal) => ask('GET /overview', { query: { range }, signal }),
    REFRESH_MS,
  )
  useSoonAfterCalls(data.refresh)

  const figures = data.loaded.value.value
  return (
    <Page
      title="Overview"
      lead={figures && lead(figures)}
      actions={<SpanChoice label="Time of all figures" value={range} />}
    >
      <Show data={data}>{(seen) => <Body figures={seen} />}</Show>
    </Page>
  )
}

function lead({ uptimeSeconds, replica, usage }: Figures): string {
  const running = `Running for ${formatSpan(uptimeSeconds * 1_000)}`
  const whose = replica.storage === 'embedded' ? 'all clients and folders' : 'all replicas'
  const counted =
    usage.share < 1 ? `; ${formatPercent(usage.share)} of the audit record is counted so far` : ''
  return `${running}. The calls of ${whose}, by the audit record${counted}.`
}

function Body({ figures }: { readonly figures: Figures }) {
  const { usage } = figures
  // A gateway that was used before today is no new one.
  const isNew = usage.all.calls === 0 && usage.sinceMs === null && usage.share === 1
  return (
    <>
      <Notes notes={figures.notes} />
      {isNew ? (
        <div class="overview-grid">
          <FirstSteps figures={figures} />
          <Health figures={figures} />
          <AloneGateways gateways={figures.alone} />
        </div>
      ) : (
        <Charts figures={figures} />
      )}
    </>
  )
}

function Charts({ figures }: { readonly figures: Figures }) {
  const { usage } = figures
  return (
    <>
      <Headline figures={figures} />
      <div class="overview-grid">
        <Throughput figures={figures} />
        <Health figures={figures} />
        <Latencies usage={usage} />
        <Savings figures={figures} />
        <CacheRates usage={usage} />
        <Busiest title="Busiest tools" rows={usage.tools} />
        <Busiest title="Busiest agents" rows={usage.agents} />
        <AloneGateways gateways={figures.alone} />
      </div>
    </>
  )
}

/** Refreshes shortly after the last of several calls, not after each one. */
function useSoonAfterCalls(refresh: () => void): void {
  const count = liveCount.value
  useEffect(() => {
    if (count === 0) return undefined
    const timer = setTimeout(refresh, 400)
    return () => clearTimeout(timer)
  }, [count])
}
