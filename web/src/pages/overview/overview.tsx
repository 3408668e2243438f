import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Overview as Figures, Series } from '../../../../src/dashboard/contract/overview.ts'
import { ask } from '../../api/ask.ts'
import { liveCount } from '../../api/live.ts'
import { useData } from '../../api/use-data.ts'
import { type Buckets, type Span, toBuckets } from '../../chart/time-buckets.ts'
import { formatSpan } from '../../format.ts'
import { Segments } from '../../ui/fields.tsx'
import { Page } from '../../ui/page.tsx'
import { Show } from '../../ui/show.tsx'
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
const SPANS = [
  { value: '5m', name: '5 min' },
  { value: '1h', name: '1 hour' },
  { value: '24h', name: '24 hours' },
]

interface Seen {
  readonly figures: Figures
  readonly series: Series
}

/** How the gateway is doing, at a glance. */
export function Overview() {
  const span = useSignal<Span>('5m')
  const range = span.value === '5m' ? '5m' : '24h'
  const data = useData<Seen>(
    range,
    async (signal) => {
      const [figures, series] = await Promise.all([
        ask('GET /overview', { signal }),
        ask('GET /series', { query: { range }, signal }),
      ])
      return { figures, series }
    },
    REFRESH_MS,
  )
  useSoonAfterCalls(data.refresh)

  const seen = data.loaded.value.value
  return (
    <Page
      title="Overview"
      lead={seen && lead(seen.figures)}
      actions={
        <Segments
          label="Time span of the charts"
          choices={SPANS}
          value={span.value}
          onChange={(value) => {
            if (value === '5m' || value === '1h' || value === '24h') span.value = value
          }}
        />
      }
    >
      <Show data={data}>
        {({ figures, series }) => (
          <Body
            figures={figures}
            buckets={toBuckets(series, span.value, Date.parse(figures.startedAt))}
          />
        )}
      </Show>
    </Page>
  )
}

/** Each replica counts only its own calls, which the text says if there may be others. */
function lead({ uptimeSeconds, replica }: Figures): string {
  const running = `Running for ${formatSpan(uptimeSeconds * 1_000)}`
  if (replica.storage === 'embedded') return running
  return `${running}. The calls of this replica (${replica.host}, pid ${replica.pid}); Audit has those of all.`
}

function Body({ figures, buckets }: { readonly figures: Figures; readonly buckets: Buckets }) {
  return (
    <>
      <Notes notes={figures.notes} />
      {figures.calls.total === 0 ? (
        <div class="overview-grid">
          <FirstSteps figures={figures} />
          <Health figures={figures} />
        </div>
      ) : (
        <Charts figures={figures} buckets={buckets} />
      )}
    </>
  )
}

function Charts({ figures, buckets }: { readonly figures: Figures; readonly buckets: Buckets }) {
  return (
    <>
      <Headline figures={figures} buckets={buckets} />
      <div class="overview-grid">
        <Throughput figures={figures} buckets={buckets} />
        <Health figures={figures} />
        <Latencies figures={figures} buckets={buckets} />
        <Savings tokens={figures.tokens} buckets={buckets} />
        <CacheRates cache={figures.cache} />
        <Busiest title="Busiest tools" rows={figures.busiest.tools} />
        <Busiest title="Busiest agents" rows={figures.busiest.agents} />
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
