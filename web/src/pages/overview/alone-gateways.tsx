import type { Overview } from '../../../../src/dashboard/contract/overview.ts'
import { formatStamp } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'

/** Gateways that serve one client alone on this machine; renders nothing if there are none. */
export function AloneGateways({ gateways }: { readonly gateways: Overview['alone'] }) {
  if (gateways.length === 0) return null
  return (
    <Panel title="Gateways that run alone" class="wide" aside="their calls are counted here too">
      <ul class="alone">
        {gateways.map(({ pid, folder, since, reason }) => (
          <li key={pid}>
            <span class="mono">pid {pid}</span> in <code>{folder}</code>, since{' '}
            {formatStamp(Date.parse(since))}: {reason}
          </li>
        ))}
      </ul>
      <p class="small">
        Each has its own copies of its servers, which a restart or a stored secret does not reach.{' '}
        <code>portolan doctor</code> says how such a client joins the others.
      </p>
    </Panel>
  )
}
