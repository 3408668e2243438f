import type { RunCall, RunDetail } from '../../../../src/dashboard/contract.ts'
import type { Call } from '../../../../src/dashboard/contract/calls.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { formatMs, formatStamp, formatWhole, plural } from '../../format.ts'
import { DecisionBadge } from '../../ui/calls/decision-badge.tsx'
import { Fact } from '../../ui/figures/fact.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { visible } from '../../ui/text/visible.ts'
import { SaveRun } from './save-run.tsx'

export function Run({ id }: { readonly id: string }) {
  const data = useData(id, async (signal) => ask('GET /runs/:id', { params: { id }, signal }))
  return (
    <Show data={data}>
      {(detail) => (
        <>
          <Facts detail={detail} />
          <Calls detail={detail} />
          {detail.source !== null && <SaveRun run={id} source={detail.source} />}
        </>
      )}
    </Show>
  )
}

function Facts({ detail: { run, tokensNotSpent } }: { readonly detail: RunDetail }) {
  return (
    <dl class="facts">
      <Fact name="Agent">{run.agent ?? 'unknown'}</Fact>
      <Fact name="Script">{run.server === null ? 'sent by the agent' : nameOf(run)}</Fact>
      <Fact name="Ended">
        {formatStamp(Date.parse(run.at))} in {formatMs(run.durationMs)}
      </Fact>
      <Fact name="Result">
        <DecisionBadge call={run} /> <code>{run.outcome}</code>
      </Fact>
      <Fact name="Error">{run.error}</Fact>
      <Fact name="Tokens of its answer">
        {run.tokenCount === null ? null : formatWhole(run.tokenCount)}
      </Fact>
      <Fact name="Tokens not spent">about {formatWhole(tokensNotSpent)}</Fact>
      <Fact name="Call">
        <a href={linkTo(run)}>
          <code>{run.id}</code>
        </a>
      </Fact>
    </dl>
  )
}

interface Row {
  readonly depth: number
  readonly node: RunCall
}

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'Call',
    render: ({ depth, node: { call } }) => (
      <span class={`run-call depth-${depth}`}>
        {depth > 0 && <span aria-hidden="true">└ </span>}
        <a href={linkTo(call)}>{nameOf(call)}</a>
      </span>
    ),
  },
  { name: 'Outcome', render: ({ node: { call } }) => <DecisionBadge call={call} /> },
  { name: 'Started after', number: true, render: ({ node }) => formatMs(node.afterMs) },
  { name: 'Took', number: true, render: ({ node: { call } }) => formatMs(call.durationMs) },
  {
    name: 'Tokens',
    number: true,
    render: ({ node: { call } }) => (call.tokenCount === null ? '' : formatWhole(call.tokenCount)),
  },
]

/** The calls in the order in which they were made; those of a saved script are below it. */
function Calls({ detail: { calls, isCut } }: { readonly detail: RunDetail }) {
  const rows = flatten(calls)
  return (
    <Panel title={plural(rows.length, 'call')} flush>
      {isCut && <p class="small">It made more calls than are shown here.</p>}
      {rows.length > 0 && (
        <Table
          label="Calls of the run"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ node }) => node.call.id}
        />
      )}
    </Panel>
  )
}

function flatten(nodes: readonly RunCall[], depth = 0): Row[] {
  return nodes.flatMap((node) => [{ depth, node }, ...flatten(node.calls, depth + 1)])
}

function nameOf({ server, tool, operation }: Call): string {
  return visible(server === null ? operation : `${server}.${tool ?? ''}`)
}

function linkTo({ id }: Call): string {
  return `/calls?call=${encodeURIComponent(id)}`
}
