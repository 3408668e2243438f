import type { SavedScriptVersion } from '../../../../src/dashboard/contract.ts'
import { Badge, type Tone } from '../../ui/figures/badge.tsx'

const TONES: Readonly<Record<SavedScriptVersion['state'], Tone>> = {
  proposed: 'warn',
  approved: 'idle',
  rejected: 'bad',
}

export function ScriptBadge({ script }: { readonly script: SavedScriptVersion }) {
  const { isActive, state } = script
  return isActive ? <Badge tone="ok">active</Badge> : <Badge tone={TONES[state]}>{state}</Badge>
}
