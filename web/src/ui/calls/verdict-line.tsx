import type { Verdict } from '../../../../src/dashboard/contract/agents.ts'
import { Badge } from '../figures/badge.tsx'

export const EFFECT_WORDS = { allow: 'Allowed', ask: 'Asks first', deny: 'Denied' } as const

/** The decision, its rule, and the reason. */
export function VerdictLine({ verdict }: { readonly verdict: Verdict }) {
  const { effect, rule, message } = verdict
  return (
    <p class="verdict">
      <Badge tone={effect === 'deny' ? 'warn' : 'ok'}>{EFFECT_WORDS[effect]}</Badge>
      <span>
        by <code>{rule}</code>
        <span class="sub">{message}</span>
      </span>
    </p>
  )
}
