import type { Costs as Figures, NamedUsage } from '../../../../src/dashboard/contract/overview.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import {
  formatCount,
  formatMoney,
  formatPercent,
  formatStamp,
  formatUtcDay,
  formatWhole,
} from '../../format.ts'
import { Empty } from '../../ui/notice/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { SpanChoice, chosenSpan } from '../../ui/span-choice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { visible } from '../../ui/text/visible.ts'
import { RemoveServer } from '../servers/remove-server.tsx'

const DAY_MS = 86_400_000

/** What calls cost, in tokens and money: by day, agent, server and tool. */
export function Costs() {
  const range = chosenSpan('30d')
  const data = useData(range, async (signal) => ask('GET /costs', { query: { range }, signal }))
  const figures = data.loaded.value.value
  return (
    <Page
      title="Costs"
      lead={figures && lead(figures)}
      actions={<SpanChoice label="Time of all figures" value={range} />}
    >
      <Show data={data}>{(shown) => <Body figures={shown} onChange={data.refresh} />}</Show>
    </Page>
  )
}

function lead({ usage: { all, share }, currency, isPriced }: Figures): string {
  const money = isPriced ? `, ${formatMoney(all.money, currency)}` : ''
  const counted =
    share < 1 ? ` (${formatPercent(share)} of the audit record is counted so far)` : ''
  return `${formatCount(all.tokens)} tokens of results${money}${counted}`
}

interface BodyProps {
  readonly figures: Figures
  readonly onChange: () => void
}

function Body({ figures, onChange }: BodyProps) {
  const { usage, currency, isPriced } = figures
  if (usage.all.calls === 0)
    return (
      <Empty title="No calls in this time" commands={['portolan connect claude-code']}>
        Choose a longer time above, or connect a client:
      </Empty>
    )
  return (
    <>
      {!isPriced && <NoPrices />}
      <div class="overview-grid">
        <Panel
          title={isPriced ? `Money, ${currency}` : 'Tokens'}
          class="wide"
          aside={stepOf(usage.stepMs)}
        >
          <TimeChart
            kind="bars"
            label={`${isPriced ? 'Money' : 'Tokens'} over time`}
            fromMs={usage.fromMs}
            stepMs={usage.stepMs}
            room={usage.points.length}
            format={isPriced ? (value) => value.toFixed(2) : formatCount}
            lines={[
              {
                name: isPriced ? currency : 'Tokens',
                tint: 'sea',
                values: usage.points.map(({ money, tokens }) => (isPriced ? money : tokens)),
              },
            ]}
          />
        </Panel>
        <Unused figures={figures} onChange={onChange} />
        <Names title="Agents" rows={usage.agents} figures={figures} />
        <Names title="Servers" rows={usage.servers} figures={figures} />
        <Names title="Tools" rows={usage.tools} figures={figures} />
        <Names
          title={stepMsIsDay(usage.stepMs) ? 'Days' : 'Times'}
          rows={steps(figures)}
          figures={figures}
        />
      </div>
    </>
  )
}

function NoPrices() {
  return (
    <ul class="notes">
      <li class="info">
        <strong>There are no prices yet.</strong> Write <code>prices</code> in{' '}
        <code>portolan.yaml</code>, such as{' '}
        <code>{'prices: { tokens: { "*": 3 }, calls: { "search.web": 0.005 } }'}</code>: the price
        of a million input tokens of the model that an agent uses, and of one call of a paid tool.
      </li>
    </ul>
  )
}

interface NamesProps {
  readonly title: string
  readonly rows: readonly NamedUsage[]
  readonly figures: Figures
}

function Names({ title, rows, figures: { currency, isPriced } }: NamesProps) {
  const columns: Column<NamedUsage>[] = [
    {
      name: 'Name',
      class: 'mono clip',
      sortBy: ({ name }) => name,
      render: ({ name }) => <span title={visible(name)}>{visible(name)}</span>,
    },
    {
      name: 'Calls',
      number: true,
      sortBy: (row) => row.calls,
      render: (row) => formatCount(row.calls),
    },
    {
      name: 'Tokens',
      number: true,
      sortBy: (row) => row.tokens,
      render: (row) => formatCount(row.tokens),
    },
    ...(isPriced
      ? [
          {
            name: 'Money',
            number: true,
            sortBy: (row: NamedUsage) => row.money,
            render: (row: NamedUsage) => formatMoney(row.money, currency),
          },
        ]
      : []),
  ]
  return (
    <Panel title={title} class="half" aside={formatWhole(rows.length)} flush={rows.length > 0}>
      <div class="tall-table">
        <Table label={title} rows={rows} columns={columns} keyOf={({ name }) => name} />
      </div>
    </Panel>
  )
}

/** The steps of the time as rows, newest first. */
function steps({ usage }: Figures): NamedUsage[] {
  const stamp = stepMsIsDay(usage.stepMs) ? formatUtcDay : formatStamp
  return usage.points
    .map((point, n) => ({
      ...point,
      name: stamp(usage.fromMs + n * usage.stepMs),
    }))
    .filter(({ calls }) => calls > 0)
    .toReversed()
}

function stepMsIsDay(stepMs: number): boolean {
  return stepMs === DAY_MS
}

function stepOf(stepMs: number): string {
  return stepMsIsDay(stepMs) ? 'per day (UTC)' : `per ${formatWhole(stepMs / 60_000)} min`
}

function Unused({ figures: { unused }, onChange }: BodyProps) {
  return (
    <Panel title="Not used for 30 days">
      {unused === null && (
        <p class="small">
          Not known yet: the record does not go back that far. <code>audit.maxFiles</code> decides
          how far it does.
        </p>
      )}
      {unused?.length === 0 && <p class="small">Somebody used every server.</p>}
      <ul class="unused">
        {(unused ?? []).map(({ name, file }) => (
          <li key={name}>
            <a href={`/servers?server=${encodeURIComponent(name)}`}>{name}</a>{' '}
            {file !== null && isAdmin() && (
              <RemoveServer name={name} file={file} onRemoved={onChange} />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
