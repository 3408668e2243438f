import type { Reload } from '../../../../src/dashboard/contract/config.ts'
import { formatMs, formatStamp } from '../../format.ts'
import { Badge, type Tone } from '../../ui/figures/badge.tsx'
import { Panel } from '../../ui/panel.tsx'

const WORDS: Readonly<Record<Reload['outcome'], { readonly word: string; readonly tone: Tone }>> = {
  applied: { word: 'Applied', tone: 'ok' },
  unchanged: { word: 'Unchanged', tone: 'idle' },
  refused: { word: 'Refused', tone: 'bad' },
  partly: { word: 'Partly', tone: 'warn' },
  waiting: { word: 'Waits for your trust', tone: 'warn' },
}

export function ReloadHistory({ history }: { readonly history: readonly Reload[] }) {
  return (
    <Panel title="Reloads">
      {history.length === 0 && (
        <p class="small">None since the start. Change one of the files above to see one here.</p>
      )}
      <ol class="timeline">
        {history.map((reload) => (
          <li key={reload.at}>
            <p>
              <Badge tone={WORDS[reload.outcome].tone}>{WORDS[reload.outcome].word}</Badge>{' '}
              <time dateTime={reload.at}>{formatStamp(Date.parse(reload.at))}</time>{' '}
              <span class="dim">in {formatMs(reload.tookMs)}</span>
            </p>
            <Lines lines={reload.changes} />
            <Lines lines={reload.problems} tone="bad-text" />
            <Lines lines={reload.warnings} tone="warn-text" />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function Lines({ lines, tone }: { readonly lines: readonly string[]; readonly tone?: string }) {
  if (lines.length === 0) return null
  return (
    <ul class={tone}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
