import type { IncomingMessage } from 'node:http'
import { DASHBOARD_API } from '../pages.ts'

const NAME = 'portolan_key'

/**
 * The key itself is what the cookie holds: a revoked key ends a login at once, on every replica, and
 * nothing has to be kept here. It ends with the browser, no script can read it, and it is only ever
 * sent to the dashboard's own API.
 */
export function loginCookie(key: string, request: IncomingMessage): string {
  return cookie(encodeURIComponent(key), request)
}

export function logoutCookie(request: IncomingMessage): string {
  return `${cookie('', request)}; Max-Age=0`
}

export function readCookie({ headers }: IncomingMessage): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const [name, value] = part.trim().split('=', 2)
    if (name === NAME && value) return decode(value)
  }
  return undefined
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
