import { highlight } from './highlight.ts'

interface CodePreviewProps {
  readonly label: string
  readonly text: string
  readonly firstLine: number
  /** More lines than this are folded away. */
  readonly most?: number
}

/** A few lines of source with their numbers. */
export function CodePreview({ label, text, firstLine, most = 14 }: CodePreviewProps) {
  const lines = text.replace(/\n$/, '').split('\n')
  if (lines.length <= most) return <Lines label={label} lines={lines} firstLine={firstLine} />
  return (
    <>
      <Lines label={label} lines={lines.slice(0, most)} firstLine={firstLine} />
      <details class="more-lines">
        <summary>{lines.length - most} more lines</summary>
        <Lines
          label={`${label}, the rest`}
          lines={lines.slice(most)}
          firstLine={firstLine + most}
        />
      </details>
    </>
  )
}

interface LinesProps {
  readonly label: string
  readonly lines: readonly string[]
  readonly firstLine: number
}

function Lines({ label, lines, firstLine }: LinesProps) {
  return (
    <pre class="source" tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, n) => (
        <span key={n} class="source-line">
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
