import type { Account } from '../../../../storage/tables/trace-tables.ts'
import type { Deps } from '../deps.ts'

const HOUR_MS = 3_600_000

/**
 * Whether an account has influence. API keys are free, so a new account has none until it has a
 * reputation, an invitation or a certain age.
 */
export function isEstablished(account: Account, { settings, now }: Deps): boolean {
  if (settings.requireEmailVerification && account.email_verified_at === null) return false
  return (
    account.is_moderator === 1 ||
    account.is_seed === 1 ||
    account.entry_door !== null ||
    account.reputation_score > 0 ||
    now() - account.created_at >= settings.establishedAfterHours * HOUR_MS
  )
}

/** Whether one account invited the other; they cannot confirm each other's traces. */
export function areLinked(one: Account, other: Account): boolean {
  return one.id === other.id || one.invited_by === other.id || other.invited_by === one.id
}
