import { highlight } from './highlight.ts'

interface CodePreviewProps {
  readonly label: string
  readonly text: string
  readonly firstLine: number
  /** More lines than this are folded away. */
  readonly most?: number
  /** Lines to mark, counted from 0: the preview begins shortly before the first. */
  readonly marked?: ReadonlySet<number>
}

/** Lines that are shown before the first marked one. */
const BEFORE = 3
const NONE: ReadonlySet<number> = new Set()

/** A few lines of source with their numbers. */
export function CodePreview(props: CodePreviewProps) {
  const { label, text, firstLine, most = 14, marked = NONE } = props
  const lines = text.replace(/\n$/, '').split('\n')
  if (lines.length <= most)
    return <Lines label={label} lines={lines} firstLine={firstLine} marked={marked} />
  const first = Math.min(...marked, lines.length)
  const from = Math.max(0, Math.min(marked.size > 0 ? first - BEFORE : 0, lines.length - most))
  const part = (start: number, end: number, name: string) => (
    <Lines
      label={name}
      lines={lines.slice(start, end)}
      firstLine={firstLine + start}
      marked={new Set([...marked].map((line) => line - start))}
    />
  )
  return (
    <>
      {from > 0 && (
        <details class="more-lines">
          <summary>{from} lines before</summary>
          {part(0, from, `${label}, the beginning`)}
        </details>
      )}
      {part(from, from + most, label)}
      {from + most < lines.length && (
        <details class="more-lines">
          <summary>{lines.length - from - most} more lines</summary>
          {part(from + most, lines.length, `${label}, the rest`)}
        </details>
      )}
    </>
  )
}

interface LinesProps {
  readonly label: string
  readonly lines: readonly string[]
  readonly firstLine: number
  readonly marked: ReadonlySet<number>
}

function Lines({ label, lines, firstLine, marked }: LinesProps) {
  return (
    <pre class="source" tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, n) => (
        <span key={n} class={`source-line ${marked.has(n) ? 'marked' : ''}`}>
          <span class="line-number" aria-hidden="true">
            {firstLine + n}
          </span>
          <span>
            {highlight(line).map(({ kind, text }, part) =>
              kind === 'plain' ? (
                text
              ) : (
                <span key={part} class={`code-${kind}`}>
                  {text}
                </span>
              ),
            )}
            {'\n'}
          </span>
        </span>
      ))}
    </pre>
  )
}
