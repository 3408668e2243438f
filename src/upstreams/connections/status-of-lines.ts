import type { UpstreamStatus } from '../../gateway/upstream.ts'
import type { Line } from './line.ts'

/** Returns the state of a server by those of its connections: one that is up is enough. */
export function statusOfLines(lines: readonly Line[]): UpstreamStatus {
  const states = lines.map((line) => line.status)
  const status = states.find(({ state }) => state === 'ready') ??
    states.find(({ state }) => state === 'starting') ??
    states.find(({ state }) => state === 'down') ?? { state: 'idle' }
  if (status.state !== 'ready' && status.state !== 'down') return status
  const sessionsLost = Math.max(...lines.map((line) => line.sessionsLost))
  return sessionsLost > 0 ? { ...status, sessionsLost } : status
}
