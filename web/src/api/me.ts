import { signal } from '@preact/signals'
import type { Me } from '../../../src/dashboard/contract/access.ts'
import { go } from '../router.ts'
import { ask, signedOut } from './ask.ts'

/** Who looks at the dashboard; undefined until the gateway has said so. */
export const me = signal<Me | undefined>(undefined)

/** Set where a page may act as one of several agents and the reader chose. */
export const actingAs = signal<string | undefined>(undefined)

export async function findMe(): Promise<void> {
  me.value = await ask('GET /me')
  signedOut.value = false
  const before = sessionStorage.getItem(PAGE)
  sessionStorage.removeItem(PAGE)
  if (before !== null && location.pathname === '/') go(before, { replace: true })
}

const PAGE = 'page-before-sign-in'

/** The page of sign-in leads back to the first page: from there we go on to this one. */
export function rememberPage(): void {
  sessionStorage.setItem(PAGE, location.pathname + location.search)
}

export async function signIn(key: string): Promise<void> {
  me.value = await ask('POST /login', { body: { key } })
  signedOut.value = false
}

export async function signOut(): Promise<void> {
  await ask('POST /logout')
  me.value = undefined
  signedOut.value = true
}

export function isAdmin(): boolean {
  return me.value?.role === 'admin'
}

/** What to add to a request whose agent may be chosen. */
export function asAgent(): { agent?: string } {
  const agent = actingAs.value ?? (me.value?.agent === null ? me.value.actAs[0] : undefined)
  return agent === undefined ? {} : { agent }
}
