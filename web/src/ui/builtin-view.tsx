import type { ComponentChildren } from 'preact'
import type { Builtin } from '../../../src/dashboard/contract/builtins.ts'
import type { Data } from '../api/use-data.ts'
import { Empty } from './notice/empty.tsx'
import { Prose } from './text/prose.tsx'
import { Show } from './show.tsx'

interface BuiltinViewProps<T> {
  readonly data: Data<Builtin<T>>
  readonly children: (value: T) => ComponentChildren
}

/** Renders the answer of a built-in server, or how to turn it on. */
export function BuiltinView<T>({ data, children }: BuiltinViewProps<T>) {
  return (
    <Show data={data}>
      {(answer) => (answer.available ? children(answer) : <Unavailable {...answer} />)}
    </Show>
  )
}

interface UnavailableProps {
  readonly message: string
  readonly hint: string
}

/** Why a built-in server does not answer, and how to turn it on. */
export function Unavailable({ message, hint }: UnavailableProps) {
  return (
    <Empty title={message}>
      <Prose text={hint} />
    </Empty>
  )
}
