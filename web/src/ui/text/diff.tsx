const KINDS: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '~': 'changed' }

/** The changed lines of a file, and some around them. */
export function Diff({
  path,
  lines,
}: {
  readonly path: string
  readonly lines: readonly string[]
}) {
  return (
    <figure class="diff">
      <figcaption>
        <code>{path}</code>
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
        {lines.map((line, n) => (
          <span key={n} class={KINDS[line[0] ?? '']}>
            {`${line}\n`}
          </span>
        ))}
      </pre>
    </figure>
  )
}
