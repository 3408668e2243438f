import { signal } from '@preact/signals'
import { go } from '../router.ts'
import { ROUTES } from '../routes.ts'

/** Whether `g` was pressed and a letter must follow: the navigation then shows the letters. */
export const goingSomewhere = signal(false)

export const helpOpen = signal(false)

const LETTER_WITHIN_MS = 1_500

let timer: ReturnType<typeof setTimeout> | undefined

function awaitLetter(): void {
  goingSomewhere.value = true
  clearTimeout(timer)
  timer = setTimeout(() => {
    goingSomewhere.value = false
  }, LETTER_WITHIN_MS)
}

/**
 * `/` focuses the search field, `j` and `k` move through the list of the page, `g` and a letter open a
 * page, `?` shows the help.
 */
export function listenForShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (isTyping(event.target)) return
    if (goingSomewhere.peek()) {
      goingSomewhere.value = false
      const route = ROUTES.find(({ key }) => key === event.key)
      if (route === undefined) return
      event.preventDefault()
      helpOpen.value = false
      go(route.path)
      return
    }
    KEYS[event.key]?.(event)
  })
}

const KEYS: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
  g: awaitLetter,
  '?': () => {
    helpOpen.value = true
  },
  '/': focusSearch,
  j: moveInList,
  k: moveInList,
}

/** Gives the focus to a list of calls, which then moves by itself, or to the next row of a table. */
function moveInList(event: KeyboardEvent): void {
  const place = document.querySelector('dialog[open]') ?? document
  const grid = place.querySelector<HTMLElement>('[role=grid].virtual')
  if (grid !== null) {
    event.preventDefault()
    if (document.activeElement !== grid) grid.focus()
    return
  }
  const rows = [...place.querySelectorAll<HTMLElement>('tbody tr')].flatMap(
    (row) => row.querySelector<HTMLElement>('a, button') ?? [],
  )
  const at = rows.findIndex((target) => target.closest('tr')?.contains(document.activeElement))
  const next = rows[event.key === 'j' ? at + 1 : Math.max(0, at - 1)]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('main [data-search]')
  if (field === null) return
  event.preventDefault()
  field.focus()
  field.select()
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}
