import type { ComponentChildren } from 'preact'
import type { Data } from '../api/use-data.ts'
import { Failure } from './notice/failure.tsx'

interface ShowProps<T> {
  readonly data: Data<T>
  readonly children: (value: T) => ComponentChildren
}

/** Renders loaded data; a placeholder while loading, and the error if loading failed. */
export function Show<T>({ data, children }: ShowProps<T>) {
  const loaded = data.loaded.value
  if (loaded.state === 'loading') return <Skeleton />
  if (loaded.state === 'ready') return <>{children(loaded.value)}</>
  return (
    <>
      <Failure error={loaded.error} retry={data.refresh} />
      {loaded.value !== undefined && children(loaded.value)}
    </>
  )
}

/** Grey lines in place of what is being loaded. */
export function Skeleton() {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="heard">Loading…</span>
      {Array.from({ length: 8 }, (_, n) => (
        <span key={n} class="skeleton-line" />
      ))}
    </div>
  )
}
