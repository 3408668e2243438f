import type { Call } from '../../../src/dashboard/contract.ts'
import { formatMs, formatStamp, formatWhole } from '../format.ts'
import { DecisionBadge } from './decision-badge.tsx'
import { Dialog } from './dialog.tsx'
import { Fact } from './fact.tsx'

interface CallDetailsProps {
  readonly call: Call | undefined
  readonly onClose: () => void
}

/** All that is known of one call, at the side of the list it was picked from. */
export function CallDetails({ call, onClose }: CallDetailsProps) {
  return (
    <Dialog title="Call" side open={call !== undefined} onClose={onClose}>
      {call !== undefined && <Details call={call} />}
    </Dialog>
  )
}

function Details({ call }: { readonly call: Call }) {
  const { agent, server, tool } = call
  return (
    <>
      <dl class="facts">
        <Fact name="Ended">
          {formatStamp(Date.parse(call.at))} in {formatMs(call.durationMs)}
        </Fact>
        <Fact name="Result">
          <DecisionBadge call={call} /> <code>{call.outcome}</code>
        </Fact>
        <Fact name="Agent">{agent ?? 'unknown'}</Fact>
        <Fact name="Operation">
          <code>{call.operation}</code>
        </Fact>
        <Fact name="Server">{server}</Fact>
        <Fact name="Tool">{tool === null ? null : <code>{tool}</code>}</Fact>
        <Fact name="Rule">{call.rule === null ? null : <code>{call.rule}</code>}</Fact>
        <Fact name="Reason">{call.reason}</Fact>
        <Fact name="Error">{call.error}</Fact>
        <Fact name="Cache">{call.cache}</Fact>
        <Fact name="Tokens">{call.tokenCount === null ? null : formatWhole(call.tokenCount)}</Fact>
        <Fact name="Tokens saved">
          {call.tokensSaved === null ? null : formatWhole(call.tokensSaved)}
        </Fact>
        <Fact name="Call id">
          <code>{call.id}</code>
        </Fact>
      </dl>
      {call.arguments !== null && <pre class="block">{call.arguments}</pre>}
      <p class="links">
        {agent !== null && (
          <a href={`/audit?agent=${encodeURIComponent(agent)}`}>All of this agent</a>
        )}
        {agent !== null && server !== null && (
          <a
            href={`/playground?${new URLSearchParams({ agent, server, ...(tool !== null && { tool }) }).toString()}`}
          >
            What if the rules were different?
          </a>
        )}
      </p>
    </>
  )
}
