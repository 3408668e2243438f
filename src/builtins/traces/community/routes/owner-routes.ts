import { randomUUID } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import {
  accountReferences,
  deleteAccount,
  findAccount,
  recentAccounts,
  updateAccount,
} from '../../../../storage/traces/accounts.ts'
import { totals } from '../../../../storage/traces/usage.ts'
import { insertInvitations } from '../../../../storage/traces/invitations.ts'
import type { Account } from '../../../../storage/tables/trace-tables.ts'
import { hashKey } from '../../service/accounts.ts'
import { ApiError } from '../../service/api-error.ts'
import { newInvitationCode } from '../accounts/invitations.ts'
import { verificationLink } from '../accounts/verify-email.ts'
import type { CommunityDeps } from '../deps.ts'
import { knowledgeHealth } from '../health/knowledge-health.ts'
import type { Routes } from '../http/routes.ts'
import { toIso } from '../../service/present-trace.ts'

const limit = z.object({ limit: z.coerce.number().int().min(1).max(500).default(50) })
const none = z.object({})
const anything = z.record(z.string(), z.unknown())

/** Routes for the owner of the service only, protected by the admin token. */
export function ownerRoutes(routes: Routes, deps: CommunityDeps): void {
  const { storage, settings, now } = deps
  const { db } = storage

  /** Adds a read-only report with its path, its query schema and its reader. */
  function report<Query>(
    path: string,
    query: z.ZodType<Query>,
    read: (query: Query) => Promise<Record<string, unknown>>,
  ): void {
    routes.owner({
      method: 'GET',
      path: `/${path}`,
      summary: `Owner's report: ${path}`,
      input: query,
      answer: anything,
      run: async ({ input }) => read(input),
    })
  }
  report('analytics/knowledge-health', none, async () => ({ ...(await knowledgeHealth(deps)) }))
  report('admin/health', none, async () => {
    await deps.searches.flush()
    return { ...(await totals(db)), engine: storage.engine }
  })
  report('admin/users/recent', limit, async (query) => ({
    users: (await recentAccounts(db, query.limit)).map(presentAccount),
  }))

  async function known(id: string): Promise<Account> {
    const account = await findAccount(db, id)
    if (!account) throw new ApiError(404, 'Account not found')
    return account
  }

  routes.owner({
    method: 'GET',
    path: '/admin/users/{id}',
    summary: 'One account',
    answer: anything,
    async run({ id }) {
      const account = await known(id)
      return { ...presentAccount(account), references: await accountReferences(db, account.id) }
    },
  })

  routes.owner({
    method: 'POST',
    path: '/admin/invitations',
    summary: 'Make invitation codes',
    input: z.object({
      count: z.number().int().min(1).max(100).default(1),
      door: z.enum(['founding', 'vouched']).default('founding'),
      note: z.string().max(255).nullish(),
    }),
    status: 201,
    answer: z.object({ codes: z.array(z.string()) }),
    means: 'Shown this once',
    async run({ input: { count, door, note } }) {
      const codes = Array.from({ length: count }, newInvitationCode)
      const invitations = codes.map((code) => ({
        id: randomUUID(),
        code_hash: hashKey(code, settings.apiKeyPepper),
        door,
        note: note ?? null,
        created_at: now(),
      }))
      await insertInvitations(db, invitations)
      return { codes }
    },
  })

  routes.owner({
    method: 'POST',
    path: '/admin/contributors/{id}',
    summary: 'Let an account contribute, or make it a moderator',
    input: z.object({
      door: z.enum(['earned', 'founding']).default('earned'),
      moderator: z.boolean().optional(),
    }),
    answer: anything,
    async run({ id, input: { door, moderator } }) {
      await known(id)
      await updateAccount(db, id, {
        can_contribute: 1,
        entry_door: door,
        updated_at: now(),
        ...(moderator !== undefined && { is_moderator: moderator ? 1 : 0 }),
      })
      return presentAccount(await known(id))
    },
  })

  routes.owner({
    method: 'POST',
    path: '/admin/users/{id}/verification',
    summary: 'A link that confirms the e-mail address of an account, to be passed on by hand',
    status: 201,
    answer: z.object({ link: z.string() }),
    means: 'Shown this once; older links stop working',
    run: async ({ id }) => ({ link: await verificationLink(deps, await known(id)) }),
  })

  routes.owner({
    method: 'DELETE',
    path: '/admin/users/{id}',
    summary: 'Delete an account that nothing refers to',
    answer: z.object({ deleted: z.literal(true) }),
    problems: [409],
    async run({ id }) {
      await known(id)
      await storage.transaction(async (tx) => {
        const references = await accountReferences(tx, id)
        if (Object.values(references).some((count) => count > 0))
          throw new ApiError(409, 'The account is in use: its key can be revoked instead', {
            extra: { references },
          })
        await deleteAccount(tx, id)
      })
      return { deleted: true as const }
    },
  })
}

/** Returns an account as its owner may see it, without hashes and with timestamps as ISO text. */
function presentAccount(account: Account): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(account)
      .filter(([column]) => !column.endsWith('_hash'))
      .map(([column, value]) => [
        column,
        column.endsWith('_at') && typeof value === 'number' ? toIso(value) : value,
      ]),
  )
}
