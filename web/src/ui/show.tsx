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
  if (loaded.state === 'loading')
    return (
      <div class="loading" aria-busy="true">
        Loading…
      </div>
    )
  if (loaded.state === 'ready') return <>{children(loaded.value)}</>
  return (
    <>
      <Failure error={loaded.error} retry={data.refresh} />
      {loaded.value !== undefined && children(loaded.value)}
    </>
  )
}
