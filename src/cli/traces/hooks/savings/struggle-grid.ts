import { type SessionEvent, eventsOf } from '../memory/session-log.ts'

const CELLS = 10

/** Draws the time from the first failure to the last fix in ten cells, by what happened in each. */
export function struggleGrid(events: readonly SessionEvent[]): string {
  const [first] = eventsOf(events, 'failed')
  const last = eventsOf(events, 'resolved').at(-1)
  if (!first || !last) return ''
  const span = Math.max(1, last.at - first.at)
  const cellOf = ({ at }: SessionEvent) => Math.floor(((at - first.at) / span) * (CELLS - 1))
  return Array.from({ length: CELLS }, (_, cell) => {
    const kinds = new Set(events.filter((each) => cellOf(each) === cell).map(({ kind }) => kind))
    if (kinds.has('resolved')) return '🟩'
    if (kinds.has('failed')) return '🟥'
    return kinds.has('edited') ? '🟨' : '⬜'
  }).join('')
}
