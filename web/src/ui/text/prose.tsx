import { Fragment } from 'preact'

/** Text of the gateway; commands in backticks are shown as code. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((part, n) =>
          n % 2 === 1 ? <code key={n}>{part}</code> : <Fragment key={n}>{part}</Fragment>,
        )}
    </>
  )
}
