import type { Call } from '../../../../src/dashboard/contract/calls.ts'
import { Badge, type Tone } from '../figures/badge.tsx'

/** How a call ended, in one word; its details say what went wrong. */
export function DecisionBadge({ call }: { readonly call: Pick<Call, 'decision' | 'outcome'> }) {
  const { word, tone } = describe(call)
  return <Badge tone={tone}>{word}</Badge>
}

function describe({ decision, outcome }: Pick<Call, 'decision' | 'outcome'>): {
  word: string
  tone: Tone
} {
  if (decision === 'DENY')
    return { word: outcome === 'RATE_LIMITED' ? 'Limited' : 'Denied', tone: 'warn' }
  if (decision === 'TIMEOUT') return { word: 'Timeout', tone: 'bad' }
  if (decision === 'ERROR') return { word: 'Error', tone: 'bad' }
  if (outcome === 'tool_error') return { word: 'Tool error', tone: 'bad' }
  return { word: 'OK', tone: 'plain' }
}
