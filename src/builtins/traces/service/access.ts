import type { Account } from '../../../storage/tables/trace-tables.ts'
import { findAccountByKey } from '../../../storage/traces/accounts.ts'
import type { Rate } from '../../kit/define-builtin.ts'
import { keyHashes } from './accounts.ts'
import { ApiError } from './api-error.ts'
import type { Deps } from './deps.ts'

const MINUTE_MS = 60_000
/** Wrong keys per address: more than honest mistakes need, far fewer than guessing needs. */
const FAILED_KEYS: Rate = { capacity: 60, perMs: MINUTE_MS }
/** A separate limit, so that heartbeats and invitations do not use up reads and writes. */
const OTHERS_PER_MINUTE = 120

/** What an account must have, besides a valid key. */
export type Right = 'email' | 'contributor' | 'moderator'

/** Returns the account of a key; throws if it is missing or not valid. */
export async function authenticate(
  deps: Deps,
  key: string | undefined,
  address: string,
): Promise<Account> {
  const { apiKeyHeaderName, apiKeyPepper } = deps.settings
  if (!key) throw new ApiError(401, `Missing API key: send it in the ${apiKeyHeaderName} header`)
  const account = await findAccountByKey(deps.storage.db, keyHashes(key, apiKeyPepper))
  if (account) return account
  await takeToken(deps, `failed:${address}`, FAILED_KEYS)
  throw new ApiError(401, 'Invalid API key')
}

/** Counts a request of an account; throws if there are too many. */
export async function admit(
  deps: Deps,
  { id }: Account,
  kind: 'read' | 'write' | 'other',
): Promise<void> {
  const { rateLimitReadPerMinute, rateLimitWritePerMinute } = deps.settings
  const capacity = {
    read: rateLimitReadPerMinute,
    write: rateLimitWritePerMinute,
    other: OTHERS_PER_MINUTE,
  }[kind]
  await takeToken(deps, `${kind}:${id}`, { capacity, perMs: MINUTE_MS })
}

export async function takeToken({ limiter }: Deps, name: string, rate: Rate): Promise<void> {
  const seconds = await limiter.take(name, rate)
  if (seconds === 0) return
  throw new ApiError(429, `Rate limit exceeded: try again in ${seconds} s`, {
    headers: { 'Retry-After': String(seconds) },
    extra: { retry_after_seconds: seconds },
  })
}

export function requireRight(
  { email, email_verified_at, can_contribute, is_moderator }: Account,
  right: Right,
  { requireEmailVerification, requireInvitation }: Deps['settings'],
): void {
  if (right === 'moderator') {
    if (!is_moderator) throw new ApiError(403, 'Moderator privileges required')
    return
  }
  if (email === null)
    throw new ApiError(
      403,
      'Email registration required to submit contributions. Re-register with POST /api/v1/keys providing an email address.',
    )
  if (email_verified_at === null && requireEmailVerification)
    throw new ApiError(
      403,
      'Confirm your e-mail address first: open the link that was sent to it, or ask for a new one with POST /api/v1/keys/confirmation',
    )
  if (right === 'contributor' && requireInvitation && !can_contribute)
    throw new ApiError(
      403,
      'Contribution requires an invitation. Redeem a code with POST /api/v1/invitations/redeem',
    )
}
