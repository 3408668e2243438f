import type { Server, ServerState } from '../../../../src/dashboard/contract/servers.ts'
import { Badge, type Tone } from './badge.tsx'

export const STATE_WORDS: Readonly<Record<ServerState, string>> = {
  ready: 'Ready',
  starting: 'Starting',
  idle: 'Idle',
  down: 'Down',
  closed: 'Stopped',
  disabled: 'Disabled',
}

const TONES: Readonly<Record<ServerState, Tone>> = {
  ready: 'ok',
  starting: 'info',
  idle: 'idle',
  down: 'bad',
  closed: 'idle',
  disabled: 'idle',
}

export function StateBadge({ server }: { readonly server: Pick<Server, 'state' | 'error'> }) {
  return (
    <Badge tone={TONES[server.state]} title={server.error ?? undefined}>
      {STATE_WORDS[server.state]}
    </Badge>
  )
}

const BREAKER_TONES = { closed: 'plain', 'half-open': 'warn', open: 'bad' } as const
const BREAKER_WORDS = {
  closed: 'Sent',
  'half-open': 'Trying again',
  open: 'Refused for now',
} as const

/** An open breaker means that calls are refused at once, without asking the server. */
export function BreakerBadge({ breaker }: Pick<Server, 'breaker'>) {
  if (breaker === null) return <span class="dim">–</span>
  return <Badge tone={BREAKER_TONES[breaker]}>{BREAKER_WORDS[breaker]}</Badge>
}
