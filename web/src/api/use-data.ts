import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { type ApiError, toApiError } from './api-error.ts'

/** The data of a page: loading, ready, or failed; a failed refresh keeps the previous value. */
export type Loaded<T> =
  | { readonly state: 'loading'; readonly value?: undefined }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly error: ApiError; readonly value?: T | undefined }

export interface Data<T> {
  readonly loaded: ReadonlySignal<Loaded<T>>
  readonly refresh: () => void
}

export type Load<T> = (signal: AbortSignal) => Promise<T>

/** Loads when the page opens, when `key` changes, and every `everyMs` while the page is visible. */
export function useData<T>(key: string, load: Load<T>, everyMs?: number): Data<T> {
  const loaded = useSignal<Loaded<T>>({ state: 'loading' })
  const latest = useRef(load)
  latest.current = load
  const running = useRef<AbortController | undefined>(undefined)

  const refresh = useCallback(() => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    void run(controller)
  }, [])

  async function run(controller: AbortController): Promise<void> {
    const { signal } = controller
    try {
      const value = await latest.current(signal)
      if (!signal.aborted) loaded.value = { state: 'ready', value }
    } catch (error) {
      if (!signal.aborted)
        loaded.value = { state: 'failed', error: toApiError(error), value: loaded.peek().value }
    }
    if (running.current === controller) running.current = undefined
  }

  useEffect(() => {
    refresh()
    return () => running.current?.abort()
  }, [key])

  useEffect(() => {
    if (everyMs === undefined) return undefined
    const timer = setInterval(() => {
      if (!document.hidden && running.current === undefined) refresh()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])

  return { loaded, refresh }
}
