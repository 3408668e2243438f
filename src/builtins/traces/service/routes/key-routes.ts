import { randomUUID } from 'node:crypto'
import { createRoute, z } from '@hono/zod-openapi'
import { storageFailure } from '../../../../storage/storage-failure.ts'
import { insertAccount, updateAccount } from '../../../../storage/traces/accounts.ts'
import { type Deps, bestEffort } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import { type Guards, addressOf, tooMany } from '../http/guards.ts'
import { SECURED, answer, guarded, jsonBody, problems } from '../http/route-parts.ts'
import type { TracesApp } from '../http/traces-env.ts'
import { emailKey, hashKey, newApiKey } from '../operations/accounts/api-keys.ts'
import { enterByInvitation } from '../operations/accounts/invitations.ts'
import { sendVerification, verifyEmail } from '../operations/accounts/verify-email.ts'
import { newKey } from '../schemas.ts'

const HOUR_MS = 3_600_000

const issue = createRoute({
  method: 'post',
  path: '/api/v1/keys',
  summary: 'Get an API key',
  request: { body: jsonBody(newKey) },
  responses: {
    201: answer(
      z.object({
        api_key: z.string(),
        user_id: z.string(),
        can_contribute: z.boolean(),
        message: z.string(),
      }),
      'The key, shown this once',
    ),
    ...problems(409, 422, 429),
  },
})

export function keyRoutes(app: TracesApp, deps: Deps, guards: Guards): void {
  const { storage, settings, limiter, now } = deps

  async function takeOne(name: string): Promise<void> {
    const seconds = await limiter.take(name, { capacity: settings.keysPerHour, perMs: HOUR_MS })
    if (seconds > 0) throw tooMany(seconds)
  }

  app.openapi(issue, async (c) => {
    await takeOne(`keys:${addressOf(c)}`)
    const { email, display_name, invitation_code } = c.req.valid('json')
    const key = newApiKey()
    const id = randomUUID()
    const contributes = !settings.requireInvitation || Boolean(invitation_code)
    await storage
      .transaction(async (tx) => {
        await insertAccount(tx, {
          id,
          email: email ?? null,
          email_key: email ? emailKey(email) : null,
          key_hash: hashKey(key, settings.apiKeyPepper),
          display_name: display_name ?? null,
          can_contribute: contributes ? 1 : 0,
          created_at: now(),
          updated_at: now(),
        })
        if (invitation_code) await enterByInvitation(tx, deps, id, invitation_code)
      })
      .catch((error: unknown) => {
        if (storageFailure(error) === 'duplicate')
          throw new ApiError(409, 'Email already registered', { cause: error })
        throw error
      })
    const verifies = settings.requireVerification && email
    if (verifies) await bestEffort(deps, async () => sendVerification(deps, { id, email }))
    const next = verifies
      ? ' Then open the link that was sent to your address.'
      : email
        ? ''
        : ' It reads; to contribute, get a key with an e-mail address.'
    return c.json(
      {
        api_key: key,
        user_id: id,
        can_contribute: contributes && Boolean(email) && !verifies,
        message: `Store this key now: it cannot be shown again.${next}`,
      },
      201,
    )
  })

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/keys/verify',
      summary: 'Check a key',
      security: SECURED,
      middleware: guarded(guards.key),
      responses: {
        200: answer(z.object({ valid: z.literal(true), user_id: z.string() }), 'The key is valid'),
        ...problems(401, 429),
      },
    }),
    (c) => c.json({ valid: true as const, user_id: c.get('account').id }, 200),
  )

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/keys/confirm',
      summary: 'Confirm an e-mail address: where the link in the mail leads',
      request: { query: z.object({ token: z.string().min(8).max(128) }) },
      responses: {
        200: answer(z.object({ verified: z.literal(true), user_id: z.string() }), 'Confirmed'),
        ...problems(404, 422, 429),
      },
    }),
    async (c) => {
      await takeOne(`confirm:${addressOf(c)}`)
      const { user_id } = await verifyEmail(deps, c.req.valid('query').token)
      return c.json({ verified: true as const, user_id }, 200)
    },
  )

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/keys/confirmation',
      summary: 'Send the link that confirms the e-mail address of this account again',
      security: SECURED,
      middleware: guarded(guards.key, guards.write),
      responses: {
        202: answer(z.object({ message: z.string() }), 'On its way'),
        ...problems(401, 403, 409, 429),
      },
    }),
    async (c) => {
      const { id, email, email_verified_at } = c.get('account')
      if (email === null) throw new ApiError(403, 'This account has no e-mail address')
      if (email_verified_at !== null)
        throw new ApiError(409, 'The address of this account is confirmed already')
      await takeOne(`mail:${id}`)
      await sendVerification(deps, { id, email })
      return c.json({ message: 'The link was sent' }, 202)
    },
  )

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/keys/rotate',
      summary: 'Replace the key by a new one; the old one stops working at once',
      security: SECURED,
      middleware: guarded(guards.key, guards.write),
      responses: {
        201: answer(z.object({ api_key: z.string(), user_id: z.string() }), 'The new key'),
        ...problems(401, 429),
      },
    }),
    async (c) => {
      const key = newApiKey()
      const { id } = c.get('account')
      await updateAccount(storage.db, id, {
        key_hash: hashKey(key, settings.apiKeyPepper),
        updated_at: now(),
      })
      return c.json({ api_key: key, user_id: id }, 201)
    },
  )

  app.openapi(
    createRoute({
      method: 'delete',
      path: '/api/v1/keys',
      summary: 'Revoke the key that is sent',
      security: SECURED,
      middleware: guarded(guards.key, guards.write),
      responses: { 200: answer(z.object({ revoked: z.literal(true) }), 'Gone'), ...problems(401) },
    }),
    async (c) => {
      await updateAccount(storage.db, c.get('account').id, { revoked_at: now(), updated_at: now() })
      return c.json({ revoked: true as const }, 200)
    },
  )
}
