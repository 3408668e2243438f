import type { ComponentChildren } from 'preact'
import { visible } from '../text/visible.ts'

interface FactProps {
  readonly name: string
  /** If null or undefined, nothing is shown. */
  readonly children: ComponentChildren
}

/** One line of a `dl.facts`. */
export function Fact({ name, children }: FactProps) {
  if (children === null || children === undefined) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{typeof children === 'string' ? visible(children) : children}</dd>
    </div>
  )
}
