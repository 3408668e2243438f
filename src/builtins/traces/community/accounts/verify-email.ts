import { randomBytes } from 'node:crypto'
import type { Account } from '../../../../storage/tables/trace-tables.ts'
import { confirmEmail, updateAccount } from '../../../../storage/traces/accounts.ts'
import type { Deps } from '../../service/deps.ts'
import type { CommunityDeps } from '../deps.ts'
import { ApiError } from '../../service/api-error.ts'
import { hashKey } from '../../service/accounts.ts'

const DAY_MS = 86_400_000

/** Creates a one-time link, valid for a day, that confirms an address; older links stop working. */
export async function verificationLink(
  { storage, settings, now }: Deps,
  account: Pick<Account, 'id'>,
): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  await updateAccount(storage.db, account.id, {
    verification_hash: hashKey(token, settings.apiKeyPepper),
    verification_expires_at: now() + DAY_MS,
  })
  return new URL(`/api/v1/keys/confirm?token=${token}`, settings.publicUrl).href
}

export async function sendVerification(
  deps: CommunityDeps,
  account: Pick<Account, 'id'> & { readonly email: string },
): Promise<void> {
  const link = await verificationLink(deps, account)
  await deps.sendMail({
    to: account.email,
    subject: `${deps.settings.appName}: confirm your address`,
    text: `Open ${link} within a day to confirm that this address is yours. If you did not ask for a key, do nothing.`,
  })
}

export async function verifyEmail(
  { storage, settings, now }: Deps,
  token: string,
): Promise<{ user_id: string }> {
  const id = await confirmEmail(storage.db, hashKey(token, settings.apiKeyPepper), now())
  if (id === undefined)
    throw new ApiError(
      404,
      'This link is not valid any more: ask for a new one with POST /api/v1/keys/confirmation',
    )
  return { user_id: id }
}
