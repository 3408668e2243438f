import { randomBytes, randomUUID } from 'node:crypto'
import type { Db } from '../../../../storage/storage.ts'
import type { Account } from '../../../../storage/tables/trace-tables.ts'
import { takeInvite, updateAccount } from '../../../../storage/traces/accounts.ts'
import {
  findInvitation,
  insertInvitations,
  redeemInvitation,
} from '../../../../storage/traces/invitations.ts'
import type { Deps } from '../../service/deps.ts'
import { ApiError } from '../../service/api-error.ts'
import { hashKey } from '../../service/accounts.ts'

/** The number of invitations that a new account may give. */
export const INVITES_FOR_NEWCOMERS = 2

export function newInvitationCode(): string {
  return `ctinv_${randomBytes(16).toString('base64url')}`
}

export async function invite(deps: Deps, account: Account, note: string | null): Promise<string> {
  const code = newInvitationCode()
  await deps.storage.transaction(async (tx) => {
    if (!account.is_moderator && !(await takeInvite(tx, account.id)))
      throw new ApiError(403, 'No invitations left: each validated trace of yours earns one')
    await insertInvitations(tx, [
      {
        id: randomUUID(),
        code_hash: hashKey(code, deps.settings.apiKeyPepper),
        created_by: account.id,
        door: 'vouched',
        note,
        created_at: deps.now(),
      },
    ])
  })
  return code
}

/** Redeems a code at registration; an invalid one fails the registration. */
export async function enterByInvitation(
  tx: Db,
  deps: Deps,
  accountId: string,
  code: string,
): Promise<void> {
  const door = await open(tx, deps, accountId, code)
  if (!door) throw new ApiError(422, 'This invitation code is not valid, or was used already')
}

export async function redeem(deps: Deps, account: Account, code: string): Promise<string> {
  if (account.entry_door !== null || (deps.settings.requireInvitation && account.can_contribute))
    throw new ApiError(409, 'This account may contribute already')
  return deps.storage.transaction(async (tx) => {
    const invitation = await findInvitation(tx, hashKey(code, deps.settings.apiKeyPepper))
    if (invitation?.created_by === account.id)
      throw new ApiError(409, 'An own invitation cannot be redeemed')
    const door = await open(tx, deps, account.id, code)
    if (!door) throw new ApiError(404, 'This invitation code is not valid, or was used already')
    return door
  })
}

async function open(
  tx: Db,
  { settings, now }: Deps,
  accountId: string,
  code: string,
): Promise<string | undefined> {
  const invitation = await findInvitation(tx, hashKey(code, settings.apiKeyPepper))
  if (!invitation || !(await redeemInvitation(tx, invitation.id, { accountId, now: now() })))
    return undefined
  await updateAccount(tx, accountId, {
    can_contribute: 1,
    entry_door: invitation.door,
    invited_by: invitation.created_by,
    invites_remaining: INVITES_FOR_NEWCOMERS,
    updated_at: now(),
  })
  return invitation.door
}
