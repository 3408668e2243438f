import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { AuditQuery, Call } from '../../../../src/dashboard/contract/calls.ts'
import { type ApiError, toApiError } from '../../api/api-error.ts'
import { BASE, ask } from '../../api/ask.ts'
import { formatMs, formatWhole, plural } from '../../format.ts'
import { query, setQuery } from '../../router.ts'
import { callColumns } from '../../ui/calls/call-columns.tsx'
import { ChosenCall } from '../../ui/calls/call-details.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Failure } from '../../ui/notice/failure.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/show.tsx'
import { VirtualRows } from '../../ui/virtual-rows.tsx'
import { AuditFilters, toAuditQuery } from './audit-filters.tsx'

const COLUMNS = callColumns(true)
const PAGE = 500

interface Found {
  readonly calls: readonly Call[]
  readonly next: string | null
  readonly scanned: number
  readonly tookMs: number
}

const NOTHING: Found = { calls: [], next: null, scanned: 0, tookMs: 0 }

/** The audit log, newest first; scrolling loads more. */
export function Audit() {
  const found = useSignal<Found | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  const running = useRef<AbortController | undefined>(undefined)
  // Read once per change of the filters: their start of time moves on with the clock.
  const filters = filtersOf(query.value)
  const wanted = useMemo(() => toAuditQuery(query.value), [filters])
  const key = JSON.stringify(wanted)

  async function fetchPage(filter: AuditQuery, before: Found): Promise<void> {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    try {
      const cursor = before.next
      const page = await ask('GET /audit', {
        query: { ...filter, limit: PAGE, ...(cursor !== null && { cursor }) },
        signal,
      })
      if (signal.aborted) return
      found.value = {
        calls: [...before.calls, ...page.calls],
        next: page.next,
        scanned: before.scanned + page.scanned,
        tookMs: before.tookMs + page.tookMs,
      }
      error.value = undefined
    } catch (cause) {
      if (!signal.aborted) error.value = toApiError(cause)
    } finally {
      if (running.current === controller) running.current = undefined
    }
  }

  useEffect(() => {
    // Waits until the reader stops typing.
    const timer = setTimeout(
      () => void fetchPage(wanted, NOTHING),
      found.peek() === undefined ? 0 : 150,
    )
    return () => clearTimeout(timer)
  }, [key])
  useEffect(() => () => running.current?.abort(), [])

  const now = found.value
  return (
    <Page
      title="Audit"
      lead={now === undefined ? 'Every call and every change, however it ended' : summary(now)}
      actions={<Exports query={wanted} />}
    >
      <AuditFilters />
      {error.value !== undefined && (
        <Failure error={error.value} retry={() => void fetchPage(wanted, NOTHING)} />
      )}
      {now === undefined && error.value === undefined && <Skeleton />}
      {now?.calls.length === 0 && <Nothing isFiltered={filters !== ''} />}
      {now !== undefined && now.calls.length > 0 && (
        <VirtualRows
          key={key}
          label="Audit entries"
          layout="audit-layout"
          rows={now.calls}
          columns={COLUMNS}
          keyOf={(call) => call.id}
          onOpen={({ id, at }) => setQuery({ call: id, at })}
          onEnd={() => {
            if (now.next !== null && running.current === undefined) void fetchPage(wanted, now)
          }}
        />
      )}
      <ChosenCall calls={now?.calls ?? []} />
    </Page>
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return <Empty title="No entry matches">Widen the filters: each one narrows the others.</Empty>
  return (
    <Empty title="Nothing is recorded yet" commands={['portolan adopt']}>
      Calls are written here as they end. Move your clients behind Portolan:
    </Empty>
  )
}

/** Downloads of what the filters show, whole. */
function Exports({ query: wanted }: { readonly query: AuditQuery }) {
  const to = (format: string) =>
    `${BASE}/audit/export?${new URLSearchParams({ ...toTexts(wanted), format }).toString()}`
  return (
    <span class="exports">
      Export{' '}
      <a href={to('jsonl')} download>
        JSONL
      </a>{' '}
      <a href={to('csv')} download>
        CSV
      </a>
    </span>
  )
}

function toTexts(wanted: AuditQuery): Record<string, string> {
  return Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, String(value)]))
}

/** The parameters that filter, without the call that is open. */
function filtersOf(search: URLSearchParams): string {
  return [...search].filter(([name]) => name !== 'call' && name !== 'at').join('&')
}

function summary({ calls, next, scanned, tookMs }: Found): string {
  const shown = `${formatWhole(calls.length)}${next === null ? '' : '+'} of ${plural(scanned, 'entry', 'entries')} read`
  return `${shown} in ${formatMs(tookMs)}`
}
