import type { Verdict } from '../../../../src/dashboard/contract/agents.ts'
import { Badge } from '../figures/badge.tsx'

/** The decision, its rule, and the reason. */
export function VerdictLine({ verdict }: { readonly verdict: Verdict }) {
  const { effect, rule, message } = verdict
  return (
    <p class="verdict">
      <Badge tone={effect === 'allow' ? 'ok' : 'warn'}>
        {effect === 'allow' ? 'Allowed' : 'Denied'}
      </Badge>
      <span>
        by <code>{rule}</code>
        <span class="sub">{message}</span>
      </span>
    </p>
  )
}
