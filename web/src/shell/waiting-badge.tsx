import { useEffect, useRef } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { useData } from '../api/use-data.ts'
import { plural } from '../format.ts'

const LOOK_EVERY_MS = 5_000

/** How many calls wait for approval; where the browser may, it tells of each new one. */
export function WaitingBadge() {
  const { loaded } = useData(
    'waiting',
    async (signal) => ask('GET /approvals/waiting', { signal }),
    LOOK_EVERY_MS,
  )
  const waiting = loaded.value.value?.waiting ?? 0
  const before = useRef(0)
  useEffect(() => {
    if (waiting > before.current && globalThis.Notification?.permission === 'granted') {
      const notice = new Notification('Portolan', { body: `${plural(waiting, 'call')} to approve` })
      notice.addEventListener('click', () => window.focus())
    }
    before.current = waiting
  }, [waiting])
  if (waiting === 0) return null
  return (
    <span class="badge" title={`${plural(waiting, 'call')} to approve`}>
      {waiting}
    </span>
  )
}
