import type { IncomingMessage } from 'node:http'
import { cookieOf } from '../../base/net/cookies.ts'
import { DASHBOARD_API } from '../pages.ts'

const NAME = 'portolan_key'

/**
 * The cookie holds a session of Portolan's own sign-in or, if that is off, the key itself: revoking
 * the key then ends the login at once, on every replica, and nothing has to be stored here. It ends
 * with the browser session, no script can read it, and it is only sent to the dashboard's own API.
 */
export function loginCookie(credential: string, request: IncomingMessage): string {
  return cookie(encodeURIComponent(credential), request)
}

export function logoutCookie(request: IncomingMessage): string {
  return `${cookie('', request)}; Max-Age=0`
}

export function readCookie(request: IncomingMessage): string | undefined {
  const value = cookieOf(request, NAME)
  return value ? decode(value) : undefined
}

function cookie(value: string, request: IncomingMessage): string {
  const secure = request.headers['x-forwarded-proto'] === 'https' ? '; Secure' : ''
  return `${NAME}=${value}; Path=${DASHBOARD_API}; HttpOnly; SameSite=Strict${secure}`
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
