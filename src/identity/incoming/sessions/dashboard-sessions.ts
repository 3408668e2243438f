import { after } from '../../../base/flow/soon.ts'
import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Agent } from '../../../gateway/call.ts'
import type { Storage } from '../../../storage/storage.ts'
import { type RoleGroups, higherRole, roleByGroups } from '../../role.ts'
import type { Accounts, CurrentAccount } from '../accounts/accounts.ts'
import type { OwnChanges } from '../sign-in-changes.ts'
import {
  type CheckedCredential,
  createCheckedCredentials,
  notGood,
} from '../tokens/checked-credentials.ts'
import { SESSION_PREFIX } from '../tokens/token-prefixes.ts'

/** The kind of dashboard session records. */
export const DASHBOARD_SESSION = 'DashboardSession'

export const dashboardSessionSchema = z.object({
  accountId: z.string(),
  /** The user agent of the browser. */
  browser: z.string(),
  createdAt: z.number(),
})

/** The longest a dashboard session lasts; it also ends with the browser. */
const MAX_MS = 24 * 3_600_000
const MAX_BROWSER_LENGTH = 200

export interface DashboardSessions {
  /** Begins a session of an account; the secret is only for the browser's cookie. */
  begin(accountId: string, browser: string | undefined): Promise<string>
  /** Returns the owner of a session and their role; valid for the dashboard, not for MCP paths. */
  verify(secret: string, path: string | undefined): Agent | Promise<Agent>
  /** Returns the account and the id of a session. */
  describe(secret: string): Promise<{ readonly accountId: string; readonly id: string }>
  end(secret: string): Promise<void>
}

export interface DashboardSessionsOptions {
  readonly open: () => Promise<{ readonly storage: Storage; readonly accounts: Accounts }>
  readonly changes: OwnChanges
  readonly roles: () => RoleGroups
}

interface CheckedSession extends CheckedCredential {
  readonly accountId: string
}

/** Manages the dashboard sessions of people; stores only the hash of each secret. */
export function createDashboardSessions(options: DashboardSessionsOptions): DashboardSessions {
  const { open, changes, roles } = options
  const sessions = createCheckedCredentials({ look, name: 'The session', changes })

  async function look(secret: string): Promise<CheckedSession | undefined> {
    const { storage, accounts } = await open()
    const { findOAuthRecord } = await loadRecords()
    const key = { kind: DASHBOARD_SESSION, id: idOf(secret) }
    const row = await findOAuthRecord(storage.db, key, Date.now())
    if (row === undefined) return undefined
    const { accountId } = dashboardSessionSchema.parse(JSON.parse(row.payload_json))
    const account = await accounts.find(accountId)
    if (account === undefined) return undefined
    return { accountId, agent: { ...toAgent(account), accountId, expiresAt: row.expires_at ?? 0 } }
  }

  function toAgent({ agent: id, person, key, role: own = 'agent' }: CurrentAccount): Agent {
    return {
      id,
      proof: 'sign-in',
      role: higherRole(own, roleByGroups(person?.groups ?? [], roles())),
      client: 'dashboard',
      ...(key !== undefined && { key }),
      ...(person && { person }),
    }
  }

  return {
    async begin(accountId, browser = '') {
      const { storage } = await open()
      const { putOAuthRecord } = await loadRecords()
      const secret = `${SESSION_PREFIX}${randomBytes(32).toString('base64url')}`
      const payload: z.input<typeof dashboardSessionSchema> = {
        accountId,
        browser: browser.slice(0, MAX_BROWSER_LENGTH),
        createdAt: Date.now(),
      }
      await putOAuthRecord(storage.db, {
        kind: DASHBOARD_SESSION,
        id: idOf(secret),
        payload_json: JSON.stringify(payload),
        grant_id: null,
        uid: null,
        expires_at: Date.now() + MAX_MS,
      })
      return secret
    },
    verify(secret, path): Agent | Promise<Agent> {
      return after(sessions.check(secret), (entry) => admit(entry, path))
    },
    async describe(secret) {
      const { accountId } = await sessions.check(secret)
      return { accountId, id: idOf(secret) }
    },
    async end(secret) {
      const { storage } = await open()
      const { deleteOAuthRecord } = await loadRecords()
      await deleteOAuthRecord(storage.db, DASHBOARD_SESSION, idOf(secret))
      await changes.announce(storage)
    },
  }
}

/** Loaded with the first session, as most gateways have none. */
async function loadRecords() {
  return import('../../../storage/sign-in/oauth-records.ts')
}

function admit({ agent }: CheckedSession, path: string | undefined): Agent {
  if (path === undefined) return agent
  throw notGood('A dashboard session is valid only for the dashboard')
}

function idOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
