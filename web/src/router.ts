import { computed, signal } from '@preact/signals'

const here = signal(read())

/** The path of the current page, without a trailing slash. */
export const path = computed(() => here.value.pathname.replace(/(.)\/$/, '$1'))

export const query = computed(() => here.value.searchParams)

/** Returns a query parameter; empty if it is absent. */
export function queried(name: string): string {
  return query.value.get(name) ?? ''
}

function read(): URL {
  return new URL(location.href)
}

/** Shows another page of the dashboard; `replace` adds no entry to the browser history. */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  here.value = read()
}

/** Stores the filters of a page in its address, so that it can be shared and reloaded. */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  const next = new URL(here.value)
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') next.searchParams.delete(name)
    else next.searchParams.set(name, value)
  }
  if (next.href !== here.value.href) go(next.pathname + next.search, { replace: true })
}

/** Follows plain links to pages of the dashboard without loading a document. */
export function followLinks(isPage: (path: string) => boolean): void {
  addEventListener('popstate', () => {
    here.value = read()
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || wantsAnotherTab(event)) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.origin !== location.origin) return
    if (link.hash !== '' && link.pathname === location.pathname) return
    if (!isPage(link.pathname)) return
    event.preventDefault()
    go(link.pathname + link.search)
  })
}

function wantsAnotherTab(event: MouseEvent): boolean {
  const { button, metaKey, ctrlKey, shiftKey, altKey } = event
  return button !== 0 || metaKey || ctrlKey || shiftKey || altKey
}
