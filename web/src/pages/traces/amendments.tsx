import type { TraceDetail } from '../../../../src/dashboard/contract/builtins.ts'
import { formatAgo } from '../../format.ts'
import { Badge, type Tone } from '../../ui/figures/badge.tsx'

type Amendment = TraceDetail['amendments'][number]

const TONES: Readonly<Record<Amendment['status'], Tone>> = {
  proposed: 'info',
  applied: 'ok',
  rejected: 'idle',
}

export function Amendments({ amendments }: { readonly amendments: readonly Amendment[] }) {
  if (amendments.length === 0) return null
  return (
    <>
      <h3>Amendments</h3>
      {amendments.map(
        ({ id, status, explanation, improved_solution: solution, created_at: at }) => (
          <details key={id}>
            <summary>
              <Badge tone={TONES[status]}>{status}</Badge> {explanation}{' '}
              <span class="dim">{formatAgo(Date.parse(at))}</span>
            </summary>
            <p class="pre">{solution}</p>
          </details>
        ),
      )}
    </>
  )
}
