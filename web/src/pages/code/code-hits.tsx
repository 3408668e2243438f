import type { Builtin, CodeHit, CodeResults } from '../../../../src/dashboard/contract/builtins.ts'
import { formatMs, plural } from '../../format.ts'
import { Unavailable } from '../../ui/builtin-view.tsx'
import { Badge } from '../../ui/figures/badge.tsx'
import { CodePreview } from '../../ui/text/code-preview.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Notices } from '../../ui/notice/notices.tsx'
import { Score } from '../../ui/figures/score.tsx'

interface CodeHitsProps {
  readonly answer: Builtin<CodeResults> | undefined
  readonly asked: string
  readonly busy: boolean
}

export function CodeHits({ answer, asked, busy }: CodeHitsProps) {
  if (answer === undefined) return busy ? <p class="loading">Searching…</p> : null
  if (!answer.available) return <Unavailable {...answer} />
  const { results, searched, notes, tookMs } = answer
  return (
    <section class={`results ${busy ? 'stale' : ''}`} aria-label="Results" aria-busy={busy}>
      <p class="results-head">
        {plural(results.length, 'result')} in {formatMs(tookMs)}
        {searched !== null && (
          <>
            {' '}
            from <code>{searched}</code>
          </>
        )}
      </p>
      <Notices notes={notes} />
      {results.length === 0 && (
        <Empty title={`Nothing found for “${asked}”`}>
          Try fewer words, or another way to match. A project that was never indexed is indexed
          below.
        </Empty>
      )}
      {results.map((hit) => (
        <Hit key={`${hit.file_path}:${hit.start_line}`} hit={hit} />
      ))}
    </section>
  )
}

function Hit({ hit }: { readonly hit: CodeHit }) {
  const { file_path: file, start_line: first, symbol_type: type, symbol_name: symbol } = hit
  return (
    <article class="hit">
      <header>
        <h3 class="mono">
          {file}
          <span class="dim">
            :{first}–{hit.end_line}
          </span>
        </h3>
        {type && symbol && (
          <Badge tone="info">
            {type} {symbol}
          </Badge>
        )}
        <span class="dim">{hit.language_id}</span>
        <Score value={hit.score} />
      </header>
      <CodePreview
        label={`${file} from line ${first}`}
        text={hit.content}
        firstLine={first}
        marked={new Set([(hit.match_line ?? first) - first])}
      />
    </article>
  )
}
