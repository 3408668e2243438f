import type {
  Builtin,
  KnowledgeResults,
  Passage,
} from '../../../../src/dashboard/contract/builtins.ts'
import { formatMs, plural } from '../../format.ts'
import { setQuery } from '../../router.ts'
import { Unavailable } from '../../ui/builtin-view.tsx'
import { Badge } from '../../ui/figures/badge.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Notices } from '../../ui/notice/notices.tsx'
import { Score } from '../../ui/figures/score.tsx'

interface PassagesProps {
  readonly answer: Builtin<KnowledgeResults> | undefined
  readonly asked: string
  readonly busy: boolean
}

export function Passages({ answer, asked, busy }: PassagesProps) {
  if (answer === undefined) return busy ? <p class="loading">Searching…</p> : null
  if (!answer.available) return <Unavailable {...answer} />
  return (
    <section class={`results ${busy ? 'stale' : ''}`} aria-label="Results" aria-busy={busy}>
      <p class="results-head">
        {plural(answer.results.length, 'passage')} in {formatMs(answer.tookMs)}
      </p>
      <Notices notes={answer.notes} />
      {answer.results.length === 0 && (
        <Empty title={`Nothing found for “${asked}”`}>
          Try other words, or add a document about it.
        </Empty>
      )}
      {answer.results.map((passage) => (
        <Hit key={passage.metadata?.chunk_id ?? passage.citation} passage={passage} />
      ))}
    </section>
  )
}

function Hit({ passage }: { readonly passage: Passage }) {
  const { url, chunk_type: kind, chunk_id: id } = passage.metadata ?? {}
  return (
    <article class="hit">
      <header>
        <h3>
          {id === undefined ? (
            passage.citation
          ) : (
            <button type="button" class="link" onClick={() => setQuery({ chunk: id })}>
              {passage.citation}
            </button>
          )}
        </h3>
        {passage.normative && <Badge tone="info">normative</Badge>}
        {kind !== undefined && <span class="dim">{kind}</span>}
        <Score value={passage.score} />
      </header>
      <p class="passage">{passage.content.replace(/\n{2,}/g, '\n')}</p>
      {url !== undefined && <p class="small mono clip">{url}</p>}
    </article>
  )
}
