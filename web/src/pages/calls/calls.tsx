import { useComputed, useSignal } from '@preact/signals'
import type { Call } from '../../../../src/dashboard/contract/calls.ts'
import { liveCalls, liveCount, liveState, skippedCalls } from '../../api/live.ts'
import { me } from '../../api/me.ts'
import { formatWhole, plural } from '../../format.ts'
import { queried, setQuery } from '../../router.ts'
import { callColumns } from '../../ui/calls/call-columns.tsx'
import { ChosenCall } from '../../ui/calls/call-details.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { SearchField, Segments } from '../../ui/fields.tsx'
import { Page } from '../../ui/page.tsx'
import { VirtualRows } from '../../ui/virtual-rows.tsx'
import { KeepSwitch } from './keep-switch.tsx'

const COLUMNS = callColumns(false)

const KINDS = [
  { value: '', name: 'All' },
  { value: 'DENY', name: 'Denied' },
  { value: 'failed', name: 'Failed' },
]

/** Calls as they happen; pausing stops the list from moving. */
export function Calls() {
  const paused = useSignal<readonly Call[] | undefined>(undefined)
  const rows = useComputed(() => {
    const text = queried('q').toLowerCase()
    const kind = queried('kind')
    const all = paused.value ?? liveCalls.value
    return text === '' && kind === ''
      ? all
      : all.filter((call) => isOf(call, kind) && has(call, text))
  })

  return (
    <Page
      title="Live calls"
      lead={
        <span data-live-count={liveCount.value}>
          {plural(liveCount.value, 'call')} since you opened this page
          {skippedCalls.value > 0 && `, ${formatWhole(skippedCalls.value)} too fast to show`}
        </span>
      }
      actions={
        <>
          <SearchField
            label="Filter calls"
            placeholder="Agent, server, tool…"
            value={queried('q')}
            onInput={(q) => setQuery({ q })}
          />
          <Segments
            label="Which calls"
            choices={KINDS}
            value={queried('kind')}
            onChange={(kind) => setQuery({ kind })}
          />
          <button
            type="button"
            aria-pressed={paused.value !== undefined}
            onClick={() => {
              paused.value = paused.value === undefined ? liveCalls.value : undefined
            }}
          >
            {paused.value === undefined ? 'Pause' : 'Resume'}
          </button>
        </>
      }
    >
      <KeepSwitch />
      {rows.value.length === 0 ? (
        <NoCalls />
      ) : (
        <VirtualRows
          label="Live calls"
          layout="calls-layout"
          rows={rows.value}
          columns={COLUMNS}
          keyOf={(call) => call.id}
          onOpen={({ id, at }) => setQuery({ call: id, at })}
        />
      )}
      <ChosenCall calls={liveCalls.value} />
    </Page>
  )
}

function NoCalls() {
  if (liveCalls.value.length > 0)
    return <Empty title="No call matches">Clear the filter to see all.</Empty>
  if (liveState.value !== 'open') return <Empty title="Waiting for the gateway…" />
  return (
    <Empty title="No calls yet" commands={['portolan connect claude-code']}>
      Connect an agent, and each of its calls appears here within a second.
      {me.value?.endpoint !== '' && (
        <>
          {' '}
          Any client can use <code>{me.value?.endpoint}</code>.
        </>
      )}
    </Empty>
  )
}

function isOf(call: Call, kind: string): boolean {
  if (kind === '') return true
  if (kind === 'DENY') return call.decision === 'DENY'
  return call.decision === 'ERROR' || call.decision === 'TIMEOUT' || call.outcome === 'tool_error'
}

function has(call: Call, text: string): boolean {
  const { agent, folder, server, tool, operation, error, rule } = call
  return [agent, folder, server, tool, operation, error, rule].some((part) =>
    part?.toLowerCase().includes(text),
  )
}
