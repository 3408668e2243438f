import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { me } from '../api/me.ts'
import { go, path } from '../router.ts'
import { type Route, findRoute, isFor } from '../routes.ts'
import { Empty } from '../ui/notice/empty.tsx'
import { Failure } from '../ui/notice/failure.tsx'
import { Page } from '../ui/page.tsx'

type Shown =
  | { readonly state: 'page'; readonly path: string; readonly Body: ComponentType }
  | { readonly state: 'failed'; readonly path: string; readonly error: unknown }

/** The page of the current path; while the next one loads, the previous one stays. */
export function Outlet() {
  const route = findRoute(path.value)
  const shown = useSignal<Shown | undefined>(undefined)
  const first = useRef(true)
  const isTheirs = route === undefined || isFor(route, me.value?.role)

  useEffect(() => {
    if (!isTheirs) go('/connections', { replace: true })
  }, [isTheirs])

  useEffect(() => {
    if (route !== undefined && isTheirs) void show(route)
  }, [route, isTheirs])

  async function show(next: Route): Promise<void> {
    const loaded = await next.load().then(
      (Body): Shown => ({ state: 'page', path: next.path, Body }),
      (error: unknown): Shown => ({ state: 'failed', path: next.path, error }),
    )
    // The reader may have gone to another page meanwhile.
    if (findRoute(path.peek()) !== next) return
    shown.value = loaded
    // Makes screen readers announce the new page; for the first page the browser does this itself.
    if (!first.current) document.querySelector<HTMLElement>('#main')?.focus()
    first.current = false
    scrollTo(0, 0)
  }

  if (route === undefined) return <NotFound />
  const now = shown.value
  if (now === undefined) return null
  if (now.state === 'failed') {
    const error = new ApiError(
      0,
      'This page could not be loaded',
      'Reload, and look whether the gateway still runs.',
      now.error,
    )
    return (
      <Page title={route.name}>
        <Failure error={error} retry={() => void show(route)} />
      </Page>
    )
  }
  return <now.Body key={now.path} />
}

function NotFound() {
  return (
    <Page title="Page not found">
      <Empty title={`There is no page at ${path.value}`}>
        <a href="/">Back to the overview</a>
      </Empty>
    </Page>
  )
}
