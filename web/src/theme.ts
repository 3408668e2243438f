import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'portolan.theme'

/** The theme; `system` follows the operating system. `public/theme.js` reads the same key. */
export const theme = signal<Theme>(readTheme())

effect(() => {
  const { dataset } = document.documentElement
  if (theme.value === 'system') {
    delete dataset['theme']
    localStorage.removeItem(KEY)
  } else {
    dataset['theme'] = theme.value
    localStorage.setItem(KEY, theme.value)
  }
})

export function nextTheme(): Theme {
  const order: readonly Theme[] = ['system', 'light', 'dark']
  return order[(order.indexOf(theme.peek()) + 1) % order.length] ?? 'system'
}

function readTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
