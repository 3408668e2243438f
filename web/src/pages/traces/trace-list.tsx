import type { Signal } from '@preact/signals'
import type { Trace, TracesPage } from '../../../../src/dashboard/contract/builtins.ts'
import { formatAgo, plural } from '../../format.ts'
import { setQuery } from '../../router.ts'
import { Badge } from '../../ui/figures/badge.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Notices } from '../../ui/notice/notices.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Score } from '../../ui/figures/score.tsx'

interface TraceListProps {
  readonly page: TracesPage
  /** The cursors of the previous pages. */
  readonly cursors: Signal<readonly string[]>
  readonly filtered: boolean
}

export function TraceList({ page, cursors, filtered }: TraceListProps) {
  const { traces, next, notes } = page
  return (
    <section aria-label="Traces">
      <Notices notes={notes} />
      {traces.length === 0 && <NoTraces filtered={filtered} />}
      <ul class="traces">
        {traces.map((trace) => (
          <Item key={trace.id} trace={trace} />
        ))}
      </ul>
      {(next !== null || cursors.value.length > 0) && <Pager cursors={cursors} next={next} />}
    </section>
  )
}

function NoTraces({ filtered }: { readonly filtered: boolean }) {
  if (filtered) return <Empty title="No trace matches">Try other words, or fewer filters.</Empty>
  return (
    <Empty title="No traces yet" commands={['portolan traces contribute']}>
      Agents leave them with <code>contribute_trace</code>; you can too.
    </Empty>
  )
}

function Item({ trace }: { readonly trace: Trace }) {
  const { id, title, status, tags, combined_score: score } = trace
  return (
    <li class="trace">
      <h2>
        <button type="button" class="link" onClick={() => setQuery({ trace: id })}>
          {title}
        </button>
        <Badge tone={status === 'validated' ? 'ok' : 'idle'}>{status}</Badge>
        {trace.weak === true && <Badge tone="idle">weak match</Badge>}
        {trace.is_flagged && <Badge tone="bad">reported</Badge>}
        {score !== undefined && <Score value={score} />}
      </h2>
      <p class="trace-preview">{trace.context_text}</p>
      <p class="small">
        {tags.map((tag) => (
          <button key={tag} type="button" class="tag" onClick={() => setQuery({ tag })}>
            {tag}
          </button>
        ))}
        <span class="dim">
          {plural(trace.confirmation_count, 'confirmation')}, read{' '}
          {plural(trace.retrieval_count, 'time')}, {formatAgo(Date.parse(trace.created_at))}
        </span>
      </p>
    </li>
  )
}
