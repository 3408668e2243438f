import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const NAME = 'portolan_browser'
const SECRET = /^[\w-]{43}$/

/**
 * What tells one browser from another: a sign-in that was begun in one can only be ended in it, so that
 * nobody can have somebody else sign in for them by passing an address on.
 */
export function browserOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const [name, value = ''] = part.trim().split('=', 2)
    if (name === NAME && SECRET.test(value)) return value
  }
  return undefined
}

export function newBrowser(): string {
  return randomBytes(32).toString('base64url')
}

/** Lax, because the browser comes back from the site of an authorization server. */
export function browserCookie(browser: string, isSecure: boolean): string {
  return `${NAME}=${browser}; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600${isSecure ? '; Secure' : ''}`
}
