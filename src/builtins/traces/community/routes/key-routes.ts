import { z } from '@hono/zod-openapi'
import { updateAccount } from '../../../../storage/traces/accounts.ts'
import { takeToken } from '../../service/access.ts'
import { createAccount, hashKey, newApiKey } from '../../service/accounts.ts'
import { ApiError } from '../../service/api-error.ts'
import { bestEffort } from '../../service/deps.ts'
import { enterByInvitation } from '../accounts/invitations.ts'
import { sendVerification, verifyEmail } from '../accounts/verify-email.ts'
import type { CommunityDeps } from '../deps.ts'
import { type Routes, addressOf } from '../http/routes.ts'

const HOUR_MS = 3_600_000

const newKey = z.object({
  email: z.email().max(254).nullish(),
  display_name: z.string().trim().min(1).max(100).nullish(),
  invitation_code: z.string().min(8).max(128).nullish(),
})

export function keyRoutes(routes: Routes, deps: CommunityDeps): void {
  const { storage, settings, now } = deps
  const perHour = { capacity: settings.rateLimitKeysPerHour, perMs: HOUR_MS }

  routes.everyone({
    method: 'POST',
    path: '/keys',
    summary: 'Get an API key',
    input: newKey,
    status: 201,
    answer: z.object({
      api_key: z.string(),
      user_id: z.string(),
      can_contribute: z.boolean(),
      message: z.string(),
    }),
    means: 'The key, shown this once',
    problems: [409, 429],
    async run({ input, c }) {
      await takeToken(deps, `keys:${addressOf(c)}`, perHour)
      const { email, display_name, invitation_code } = input
      const contributes = !settings.requireInvitation || Boolean(invitation_code)
      const { id, key } = await createAccount(deps, {
        email: email ?? null,
        displayName: display_name ?? null,
        canContribute: contributes,
        async also(tx, account) {
          if (invitation_code) await enterByInvitation(tx, deps, account, invitation_code)
        },
      })
      const verifies = settings.requireEmailVerification && email
      if (verifies) await bestEffort(deps, async () => sendVerification(deps, { id, email }))
      const next = verifies
        ? ' Then open the link that was sent to your address.'
        : email
          ? ''
          : ' It reads; to contribute, get a key with an e-mail address.'
      return {
        api_key: key,
        user_id: id,
        can_contribute: contributes && Boolean(email) && !verifies,
        message: `Store this key now: it cannot be shown again.${next}`,
      }
    },
  })

  routes.keyed({
    method: 'GET',
    path: '/keys/verify',
    summary: 'Check a key',
    answer: z.object({ valid: z.literal(true), user_id: z.string() }),
    run: ({ account }) => ({ valid: true as const, user_id: account.id }),
  })

  routes.everyone({
    method: 'GET',
    path: '/keys/confirm',
    summary: 'Confirm an e-mail address: where the link in the mail leads',
    input: z.object({ token: z.string().min(8).max(128) }),
    answer: z.object({ verified: z.literal(true), user_id: z.string() }),
    problems: [404, 429],
    async run({ input, c }) {
      await takeToken(deps, `confirm:${addressOf(c)}`, perHour)
      const { user_id } = await verifyEmail(deps, input.token)
      return { verified: true as const, user_id }
    },
  })

  routes.keyed({
    method: 'POST',
    path: '/keys/confirmation',
    summary: 'Send the link that confirms the e-mail address of this account again',
    kind: 'write',
    status: 202,
    answer: z.object({ message: z.string() }),
    problems: [403, 409],
    async run({ account: { id, email, email_verified_at } }) {
      if (email === null) throw new ApiError(403, 'This account has no e-mail address')
      if (email_verified_at !== null)
        throw new ApiError(409, 'The address of this account is confirmed already')
      await takeToken(deps, `mail:${id}`, perHour)
      await sendVerification(deps, { id, email })
      return { message: 'The link was sent' }
    },
  })

  routes.keyed({
    method: 'POST',
    path: '/keys/rotate',
    summary: 'Replace the key by a new one; the old one stops working at once',
    kind: 'write',
    status: 201,
    answer: z.object({ api_key: z.string(), user_id: z.string() }),
    async run({ account: { id } }) {
      const key = newApiKey()
      const key_hash = hashKey(key, settings.apiKeyPepper)
      await updateAccount(storage.db, id, { key_hash, updated_at: now() })
      return { api_key: key, user_id: id }
    },
  })

  routes.keyed({
    method: 'DELETE',
    path: '/keys',
    summary: 'Revoke the key that is sent',
    kind: 'write',
    answer: z.object({ revoked: z.literal(true) }),
    async run({ account }) {
      await updateAccount(storage.db, account.id, { revoked_at: now(), updated_at: now() })
      return { revoked: true as const }
    },
  })
}
