import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { cookieOf } from '../../base/net/cookies.ts'

const NAME = 'portolan_browser'
const SECRET = /^[\w-]{43}$/

/**
 * What tells one browser from another: a sign-in that was begun in one can only be ended in it, so that
 * nobody can have somebody else sign in for them by passing an address on.
 */
export function browserOf(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const value = cookieOf(request, NAME)
  return value !== undefined && SECRET.test(value) ? value : undefined
}

export function newBrowser(): string {
  return randomBytes(32).toString('base64url')
}

/** Lax, because the browser comes back from the site of an authorization server. */
export function browserCookie(browser: string, isSecure: boolean): string {
  return `${NAME}=${browser}; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600${isSecure ? '; Secure' : ''}`
}
