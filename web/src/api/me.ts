import { signal } from '@preact/signals'
import type { Me } from '../../../src/dashboard/contract/access.ts'
import { go } from '../router.ts'
import { PROOF, ask, signedOut } from './ask.ts'
import { toApiError } from './api-error.ts'
import { toast } from '../ui/notice/toasts.tsx'

/** The user of the dashboard; undefined until the gateway has answered. */
export const me = signal<Me | undefined>(undefined)

/** The agent that the reader chose, if a page may act as one of several. */
export const actingAs = signal<string | undefined>(undefined)

export async function findMe(): Promise<void> {
  await openSession()
  me.value = await ask('GET /me')
  signedOut.value = false
  const before = sessionStorage.getItem(PAGE)
  sessionStorage.removeItem(PAGE)
  if (before !== null && location.pathname === '/') go(before, { replace: true })
}

const LINK = '#open='

/** Signs in with the link of `portolan dashboard`, if the page was opened by one. */
async function openSession(): Promise<void> {
  const { hash, pathname, search } = location
  if (!hash.startsWith(LINK)) return
  go(pathname + search, { replace: true })
  try {
    const { proof } = await ask('POST /session', { body: { link: hash.slice(LINK.length) } })
    localStorage.setItem(PROOF, proof)
  } catch (error) {
    const { message, hint = '' } = toApiError(error)
    toast(`${message}. ${hint}`, 'bad')
  }
}

const PAGE = 'page-before-sign-in'

/** Stores the current page: sign-in returns to the first page, and `findMe` then goes back here. */
export function rememberPage(): void {
  sessionStorage.setItem(PAGE, location.pathname + location.search)
}

export async function signIn(key: string): Promise<void> {
  me.value = await ask('POST /login', { body: { key } })
  signedOut.value = false
}

export async function signOut(): Promise<void> {
  await ask('POST /logout')
  localStorage.removeItem(PROOF)
  me.value = undefined
  // Where no key is required, the reader can go on reading.
  await findMe().catch(() => {
    signedOut.value = true
  })
}

/** Whether the reader may change things, and not only read them. */
export function isAdmin(): boolean {
  return me.value?.role === 'admin' && me.value.mayChange
}

/** Returns the query parameter for a request whose agent may be chosen. */
export function asAgent(): { agent?: string } {
  const agent = actingAs.value ?? (me.value?.agent === null ? me.value.actAs[0] : undefined)
  return agent === undefined ? {} : { agent }
}
