import { highlight } from './highlight.ts'

/** Source with the colours of its parts, line by line. */
export function Highlighted({ text }: { readonly text: string }) {
  return (
    <>
      {text.split('\n').map((line, n) => (
        <span key={n}>
          {highlight(line).map(({ kind, text: part }, at) =>
            kind === 'plain' ? (
              part
            ) : (
              <span key={at} class={`code-${kind}`}>
                {part}
              </span>
            ),
          )}
          {'\n'}
        </span>
      ))}
    </>
  )
}
