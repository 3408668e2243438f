import { z } from 'zod'
import {
  type OAuthRow,
  deleteOAuthRecord,
  endOAuthGrant,
  findOAuthRecord,
  listLiveGrants,
  listOAuthRecords,
} from '../../../storage/sign-in/oauth-records.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { Accounts, CurrentAccount } from '../accounts/accounts.ts'
import type { OwnChanges } from '../sign-in-changes.ts'
import { DASHBOARD_SESSION, dashboardSessionSchema } from './dashboard-sessions.ts'

/**
 * Where a person is signed in: a browser with the dashboard, a client with tokens, or a browser
 * that the sign-in pages still recognise.
 */
type SessionKind = 'dashboard' | 'client' | 'browser'

export interface SignedIn {
  /** Identifies it for `end`; not a credential. */
  readonly id: string
  readonly kind: SessionKind
  readonly accountId: string
  readonly account: CurrentAccount
  /** The client, or the user agent of the browser. */
  readonly name: string | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt: number
}

export interface SessionList {
  /** Returns the sessions of all accounts or of one, newest first. */
  list(accountId?: string): Promise<readonly SignedIn[]>
  /** Ends it on every replica; returns false if there is none, or it is another account's. */
  end(id: string, accountId?: string): Promise<boolean>
}

/** The most entries of each kind. */
const MAX_ENTRIES = 1_000
const KINDS = ['dashboard', 'client', 'browser'] as const satisfies readonly SessionKind[]
/** The kinds of their records. */
const RECORDS: Readonly<Record<SessionKind, string>> = {
  dashboard: DASHBOARD_SESSION,
  client: 'Grant',
  browser: 'Session',
}

const ownedSchema = z.object({ accountId: z.string() })
const grantSchema = z.object({ accountId: z.string(), clientId: z.string(), iat: z.number() })
const browserSchema = z.object({ accountId: z.string(), loginTs: z.number().optional() })

type SessionRecord = Omit<SignedIn, 'account'>

/** Lists and ends sessions of all kinds. */
export function createSessionList(
  storage: Storage,
  { accounts, changes }: { readonly accounts: Accounts; readonly changes: OwnChanges },
): SessionList {
  const { db } = storage

  async function find(accountId: string | undefined): Promise<SessionRecord[]> {
    const listed = { now: Date.now(), most: MAX_ENTRIES, accountId }
    const [shown, grants, browsers] = await Promise.all([
      listOAuthRecords(db, RECORDS.dashboard, listed),
      listLiveGrants(db, listed),
      listOAuthRecords(db, RECORDS.browser, listed),
    ])
    const clients = await namesOfClients(grants)
    return [
      ...shown.map(toDashboard),
      ...grants.map((row) => toClient(row, clients)),
      ...browsers.flatMap(toBrowser),
    ].toSorted((one, other) => other.createdAt - one.createdAt)
  }

  async function namesOfClients(grants: readonly OAuthRow[]): Promise<Map<string, string>> {
    const names = new Map<string, string>()
    for (const id of new Set(grants.map((row) => grantOf(row).clientId)))
      names.set(id, await nameOfClient(id))
    return names
  }

  /** Names a client with a metadata document by its host, as the document may have changed. */
  async function nameOfClient(id: string): Promise<string> {
    if (id.startsWith('https://')) return new URL(id).host
    const row = await findOAuthRecord(db, { kind: 'Client', id }, Date.now())
    const name: unknown = row && Object(JSON.parse(row.payload_json))['client_name']
    return typeof name === 'string' ? name : id
  }

  return {
    async list(accountId) {
      const found = await find(accountId)
      const wanted = found.filter((each) => accountId === undefined || each.accountId === accountId)
      const known = new Map<string, CurrentAccount | undefined>()
      for (const id of new Set(wanted.map((each) => each.accountId)))
        known.set(id, await accounts.find(id))
      return wanted.flatMap((each) => {
        const account = known.get(each.accountId)
        // The sessions of a missing account are no longer valid.
        return account ? [{ ...each, account }] : []
      })
    },
    async end(id, accountId) {
      const kind = KINDS.find((each) => id.startsWith(`${each}.`))
      if (kind === undefined) return false
      const key = { kind: RECORDS[kind], id: id.slice(kind.length + 1) }
      const row = await findOAuthRecord(db, key, Date.now())
      const owner = row && ownerOf(row)
      if (owner === undefined || (accountId ?? owner) !== owner) return false
      if (kind === 'client') await endOAuthGrant(db, key.id)
      else await deleteOAuthRecord(db, key.kind, key.id)
      await changes.announce(storage)
      return true
    },
  }
}

/** Returns the account; undefined for a browser in which nobody has signed in yet. */
function ownerOf({ payload_json }: OAuthRow): string | undefined {
  return ownedSchema.safeParse(JSON.parse(payload_json)).data?.accountId
}

function toDashboard({ id, payload_json, expires_at }: OAuthRow): SessionRecord {
  const { browser, ...rest } = dashboardSessionSchema.parse(JSON.parse(payload_json))
  return {
    ...rest,
    id: idOf('dashboard', id),
    kind: 'dashboard',
    name: browser || undefined,
    expiresAt: expires_at ?? 0,
  }
}

function grantOf({ payload_json }: OAuthRow) {
  return grantSchema.parse(JSON.parse(payload_json))
}

function toClient(row: OAuthRow, clients: ReadonlyMap<string, string>): SessionRecord {
  const { accountId, clientId, iat } = grantOf(row)
  return {
    id: idOf('client', row.id),
    kind: 'client',
    accountId,
    name: clients.get(clientId),
    createdAt: iat * 1_000,
    expiresAt: row.expires_at ?? 0,
  }
}

/** Leaves out a browser in which nobody has signed in yet. */
function toBrowser({ id, payload_json, expires_at }: OAuthRow): SessionRecord[] {
  const parsed = browserSchema.safeParse(JSON.parse(payload_json))
  if (!parsed.success) return []
  const { accountId, loginTs = 0 } = parsed.data
  return [
    {
      id: idOf('browser', id),
      kind: 'browser',
      accountId,
      name: undefined,
      createdAt: loginTs * 1_000,
      expiresAt: expires_at ?? 0,
    },
  ]
}

function idOf(kind: SessionKind, id: string): string {
  return `${kind}.${id}`
}
