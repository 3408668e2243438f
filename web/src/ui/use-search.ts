import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type ApiError, toApiError } from '../api/api-error.ts'
import { query, setQuery } from '../router.ts'

export interface Search<T> {
  /** The content of the field. */
  readonly text: Signal<string>
  readonly found: Signal<T | undefined>
  readonly error: Signal<ApiError | undefined>
  readonly busy: Signal<boolean>
  /** The query of the results. */
  readonly asked: string
  readonly submit: () => void
}

/** A search that runs on submit, not at every letter; the query is stored in the address. */
export function useSearch<T>(
  key: string,
  load: (q: string, signal: AbortSignal) => Promise<T>,
): Search<T> {
  const asked = query.value.get('q') ?? ''
  const text = useSignal(asked)
  const found = useSignal<T | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  const busy = useSignal(false)

  useEffect(() => {
    text.value = asked
    if (asked === '') {
      found.value = undefined
      return undefined
    }
    const controller = new AbortController()
    async function search(): Promise<void> {
      busy.value = true
      try {
        const answer = await load(asked, controller.signal)
        if (controller.signal.aborted) return
        found.value = answer
        error.value = undefined
      } catch (cause) {
        if (controller.signal.aborted) return
        error.value = toApiError(cause)
      }
      busy.value = false
    }
    void search()
    return () => {
      controller.abort()
      busy.value = false
    }
  }, [asked, key])

  return { text, found, error, busy, asked, submit: () => setQuery({ q: text.value.trim() }) }
}
