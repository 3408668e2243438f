import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { findAccountByKey } from '../../../../storage/traces/accounts.ts'
import type { Rate } from '../../../kit/define-builtin.ts'
import type { Deps } from '../deps.ts'
import { keyHashes } from '../operations/accounts/api-keys.ts'
import { ApiError } from '../api-error.ts'
import type { TracesSettings } from '../settings.ts'
import type { TracesEnv } from './traces-env.ts'

type Guard = MiddlewareHandler<TracesEnv>

const MINUTE_MS = 60_000
/** Wrong keys per address: more than honest mistakes need, far fewer than guessing needs. */
const FAILED_KEYS: Rate = { capacity: 60, perMs: MINUTE_MS }
/** A separate limit, so that heartbeats and invitations do not use up reads and writes. */
const OTHERS_PER_MINUTE = 120

export interface Guards {
  /** Any valid key. */
  readonly key: Guard
  readonly email: Guard
  readonly contributor: Guard
  readonly moderator: Guard
  readonly admin: Guard
  readonly read: Guard
  readonly write: Guard
  /** Neither a read nor a write; a generous limit against abuse. */
  readonly other: Guard
}

export function createGuards(deps: Deps): Guards {
  const { settings, limiter } = deps
  const perMinute = (kind: string, capacity: number): Guard =>
    async function limit(c, next) {
      await take(`${kind}:${c.get('account').id}`, { capacity, perMs: MINUTE_MS })
      await next()
    }
  async function take(name: string, rate: Rate): Promise<void> {
    const seconds = await limiter.take(name, rate)
    if (seconds > 0) throw tooMany(seconds)
  }
  return {
    async key(c, next) {
      const raw = c.req.header(settings.keyHeader)
      if (!raw)
        throw new ApiError(401, `Missing API key: send it in the ${settings.keyHeader} header`)
      const account = await findAccountByKey(deps.storage.db, keyHashes(raw, settings.apiKeyPepper))
      if (!account) {
        await take(`failed:${addressOf(c)}`, FAILED_KEYS)
        throw new ApiError(401, 'Invalid API key')
      }
      c.set('account', account)
      await next()
    },
    async email(c, next) {
      requireEmail(c, settings)
      await next()
    },
    async contributor(c, next) {
      requireEmail(c, settings)
      if (settings.requireInvitation && !c.get('account').can_contribute)
        throw new ApiError(
          403,
          'Contribution requires an invitation. Redeem a code with POST /api/v1/invitations/redeem',
        )
      await next()
    },
    async moderator(c, next) {
      if (!c.get('account').is_moderator) throw new ApiError(403, 'Moderator privileges required')
      await next()
    },
    async admin(c, next) {
      requireAdmin(c.req.header('X-Admin-Token'), settings.adminToken)
      await next()
    },
    read: perMinute('read', settings.readsPerMinute),
    write: perMinute('write', settings.writesPerMinute),
    other: perMinute('other', OTHERS_PER_MINUTE),
  }
}

export function addressOf(c: Context<TracesEnv>): string {
  return c.env?.incoming?.socket?.remoteAddress ?? 'in-process'
}

export function tooMany(seconds: number): ApiError {
  return new ApiError(429, `Rate limit exceeded: try again in ${seconds} s`, {
    headers: { 'Retry-After': String(seconds) },
    extra: { retry_after_seconds: seconds },
  })
}

function requireEmail(
  c: Context<TracesEnv>,
  { requireVerification }: Pick<TracesSettings, 'requireVerification'>,
): void {
  const { email, email_verified_at } = c.get('account')
  if (email !== null && email_verified_at === null && requireVerification)
    throw new ApiError(
      403,
      'Confirm your e-mail address first: open the link that was sent to it, or ask for a new one with POST /api/v1/keys/confirmation',
    )
  if (email === null)
    throw new ApiError(
      403,
      'Email registration required to submit contributions. Re-register with POST /api/v1/keys providing an email address.',
    )
}

/** Accepts the raw token or its SHA-256 in lower-case hex; compares in constant time. */
function requireAdmin(given: string | undefined, token: string): void {
  if (token === '')
    throw new ApiError(
      503,
      'The admin routes are off: set PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN to use them',
    )
  const expected = sha256(token)
  const hashed = given ?? ''
  if (!same(sha256(hashed), expected) && !same(hashed, expected))
    throw new ApiError(401, 'Invalid admin token')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function same(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)))
}
