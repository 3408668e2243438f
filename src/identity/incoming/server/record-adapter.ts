import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import {
  type OAuthRow,
  consumeOAuthRecord,
  deleteExpiredOAuthRecords,
  deleteOAuthGrant,
  deleteOAuthRecord,
  findOAuthRecord,
  keepOAuthRecord,
  putOAuthRecord,
} from '../../../storage/sign-in/oauth-records.ts'
import type { Storage } from '../../../storage/storage.ts'

/** Records whose id is a bearer credential, so that only its hash is stored. */
const CREDENTIALS = new Set(['Session', 'AccessToken', 'AuthorizationCode', 'RefreshToken'])

/** Records that show that their client is in use. */
const USES = new Set(['Grant', 'RefreshToken', 'AccessToken'])

/** Records that others cache, and must drop when they are revoked. */
const REMEMBERED = new Set(['AccessToken', 'Grant'])

const DAY_MS = 86_400_000
/** How long a client that registered itself is kept without consent. */
const NEW_CLIENT_MS = DAY_MS
/** How long a client with consent is kept after its last token, or while that one is good. */
const CLIENT_MS = 90 * DAY_MS
const SWEEP_MS = 3_600_000
/**
 * How long a used refresh token may be sent again. Several processes of one client often refresh at
 * once, and answers get lost; without this, the second request would end the sign-in of all.
 */
const REUSE_MS = 60_000

export interface RecordAdapterOptions {
  /** The error for a single-use code or token that is used twice concurrently. */
  readonly alreadyUsed: () => Error
  /** Called when tokens are revoked, so that caches can drop them. */
  readonly onRevoked?: () => Promise<void>
  readonly now?: () => number
}

/** Stores the authorization server's records in our database, shared by all replicas. */
export function createRecordAdapter(
  { db }: Pick<Storage, 'db'>,
  { alreadyUsed, onRevoked, now = Date.now }: RecordAdapterOptions,
): (kind: string) => Adapter {
  let sweepAt = 0

  async function sweep(): Promise<void> {
    if (now() < sweepAt) return
    sweepAt = now() + SWEEP_MS
    await deleteExpiredOAuthRecords(db, now())
  }

  return (kind) => {
    const isCredential = CREDENTIALS.has(kind)
    const keyOf = (id: string) =>
      isCredential ? createHash('sha256').update(id).digest('base64url') : id

    const findRow = async (id: string) => findOAuthRecord(db, { kind, id: keyOf(id) }, now())
    const mayBeReused = ({ consumed_at }: OAuthRow) =>
      kind === 'RefreshToken' && consumed_at !== null && now() - consumed_at < REUSE_MS

    const write = async (id: string, payload: AdapterPayload, expiresAt: number | null) => {
      const { jti, ...rest } = payload
      await putOAuthRecord(db, {
        kind,
        id: keyOf(id),
        payload_json: JSON.stringify(isCredential ? rest : { ...rest, jti }),
        grant_id: payload.grantId ?? null,
        uid: payload.uid ?? null,
        expires_at: expiresAt,
      })
    }

    return {
      async upsert(id, payload, expiresIn) {
        await sweep()
        const ms = kind === 'Client' ? NEW_CLIENT_MS : expiresIn && expiresIn * 1_000
        const until = ms ? now() + ms : null
        await write(id, payload, until)
        // A client in use stays signed in: each new refresh token extends the grant of the last one.
        if (kind === 'RefreshToken' && payload.grantId !== undefined && until !== null)
          await keepOAuthRecord(db, { kind: 'Grant', id: payload.grantId }, until, until)
        if (USES.has(kind) && payload.clientId !== undefined) {
          const keptUntil = Math.max(now() + CLIENT_MS, until ?? 0)
          const client = { kind: 'Client', id: payload.clientId }
          await keepOAuthRecord(db, client, keptUntil, keptUntil - DAY_MS)
        }
      },
      async find(id) {
        const row = await findRow(id)
        if (row === undefined) return undefined
        const payload = toPayload(mayBeReused(row) ? { ...row, consumed_at: null } : row)
        return isCredential ? { ...payload, jti: id } : payload
      },
      async findByUid(uid) {
        const row = await findOAuthRecord(db, { kind, uid }, now())
        return row && toPayload(row)
      },
      findByUserCode: async () => undefined,
      async consume(id) {
        if (await consumeOAuthRecord(db, kind, keyOf(id), now())) return
        const row = await findRow(id)
        if (row === undefined || !mayBeReused(row)) throw alreadyUsed()
      },
      async destroy(id) {
        await deleteOAuthRecord(db, kind, keyOf(id))
        if (REMEMBERED.has(kind)) await onRevoked?.()
      },
      async revokeByGrantId(grantId) {
        await deleteOAuthGrant(db, kind, grantId)
        if (REMEMBERED.has(kind)) await onRevoked?.()
      },
    }
  }
}

function toPayload({ payload_json, consumed_at, expires_at }: OAuthRow): AdapterPayload {
  const payload: AdapterPayload = JSON.parse(payload_json)
  // The payload has the expiry from before the record was extended.
  if (payload.exp !== undefined && expires_at !== null) payload.exp = toSeconds(expires_at)
  return consumed_at === null ? payload : { ...payload, consumed: toSeconds(consumed_at) }
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1_000)
}
