import type { Overview } from '../../../../src/dashboard/contract/overview.ts'
import type { ServerState } from '../../../../src/dashboard/contract/servers.ts'
import { formatWhole, plural } from '../../format.ts'
import { Fact } from '../../ui/figures/fact.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ScaleBar } from '../../ui/figures/scale-bar.tsx'
import { STATE_WORDS } from '../../ui/figures/state-badge.tsx'

const ORDER: readonly ServerState[] = ['ready', 'starting', 'idle', 'down', 'closed', 'disabled']
const TINTS: Readonly<Record<ServerState, string>> = {
  ready: 'verdigris',
  starting: 'sea',
  idle: 'mist',
  down: 'vermilion',
  closed: 'mist',
  disabled: 'mist',
}

/** The state of the servers and of the gateway itself. */
export function Health({ figures }: { readonly figures: Overview }) {
  const { servers, audit, sessions, replica, usage } = figures
  const { calls, denied, failed } = usage.all
  const parts = ORDER.map((state) => ({
    name: state,
    tint: TINTS[state],
    value: servers.byState[state] ?? 0,
  })).filter(({ value }) => value > 0)
  const words = parts
    .map(({ name, value }) => `${value} ${STATE_WORDS[name].toLowerCase()}`)
    .join(', ')
  return (
    <Panel title="Health" aside={<a href="/servers">{plural(servers.total, 'server')}</a>}>
      <ScaleBar label={`Servers: ${words}`} parts={parts} />
      <ul class="states">
        {parts.map(({ name, tint, value }) => (
          <li key={name}>
            <span class={`legend-item ${tint}`}>{STATE_WORDS[name]}</span>
            <b>{value}</b>
          </li>
        ))}
      </ul>
      <dl class="facts compact">
        <Fact name="Sessions open">{formatWhole(sessions)}</Fact>
        <Fact name="Answered">{formatWhole(calls - denied - failed)}</Fact>
        <Fact name="Denied">{formatWhole(denied)}</Fact>
        <Fact name="Failed">{formatWhole(failed)}</Fact>
        <div>
          <dt>Audit</dt>
          <dd class={audit.dropped > 0 ? 'bad-text' : ''}>
            {audit.dropped > 0
              ? `${formatWhole(audit.dropped)} entries lost${audit.lastError === null ? '' : `: ${audit.lastError}`}`
              : `${formatWhole(audit.written)} written, none lost`}
          </dd>
        </div>
        <Fact name="Data, limits">
          {replica.storage}, {replica.limits}
        </Fact>
        <Fact name="Replica">
          {replica.host} · pid {replica.pid}
        </Fact>
      </dl>
    </Panel>
  )
}
