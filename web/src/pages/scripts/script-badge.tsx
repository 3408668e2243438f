import type { SavedScript } from '../../../../src/dashboard/contract.ts'
import { Badge } from '../../ui/figures/badge.tsx'

export function ScriptBadge({ script: { state } }: { readonly script: SavedScript }) {
  return <Badge tone={state === 'approved' ? 'ok' : 'warn'}>{state}</Badge>
}
