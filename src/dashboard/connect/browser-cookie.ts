import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { cookieOf } from '../../base/net/cookies.ts'

const NAME = 'portolan_browser'
const SECRET = /^[\w-]{43}$/

/**
 * Returns the secret that identifies a browser. A sign-in must end in the browser where it began,
 * so that nobody can make another person sign in for them by sending them an address.
 */
export function browserOf(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const value = cookieOf(request, NAME)
  return value !== undefined && SECRET.test(value) ? value : undefined
}

export function newBrowser(): string {
  return randomBytes(32).toString('base64url')
}

/** SameSite is Lax, because the browser returns from the site of an authorization server. */
export function browserCookie(browser: string, isSecure: boolean): string {
  return `${NAME}=${browser}; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600${isSecure ? '; Secure' : ''}`
}
