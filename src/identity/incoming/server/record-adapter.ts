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

/** Whoever has one of these has its rights, so that only its hash is kept. */
const CREDENTIALS = new Set(['Session', 'AccessToken', 'AuthorizationCode', 'RefreshToken'])

/** A client for which one of these is made is in use. */
const USES = new Set(['Grant', 'RefreshToken', 'AccessToken'])

/** What is remembered of these elsewhere must be forgotten when they are revoked. */
const REMEMBERED = new Set(['AccessToken', 'Grant'])

const DAY_MS = 86_400_000
/** A client that registered itself is forgotten when nobody has agreed to it for this long. */
const NEW_CLIENT_MS = DAY_MS
/** One that was agreed to is forgotten when it has got no token for this long. */
const CLIENT_MS = 90 * DAY_MS
const SWEEP_MS = 3_600_000

export interface RecordAdapterOptions {
  /** The error for a code or token that may be used once and is used twice at the same moment. */
  readonly alreadyUsed: () => Error
  /** Called when tokens were revoked, for those who remember them. */
  readonly onRevoked?: () => Promise<void>
  readonly now?: () => number
}

/** What the authorization server keeps, in our database: every replica knows every code and token. */
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
        await write(id, payload, ms ? now() + ms : null)
        if (USES.has(kind) && payload.clientId !== undefined)
          await keepOAuthRecord(
            db,
            { kind: 'Client', id: payload.clientId },
            now() + CLIENT_MS,
            now() + CLIENT_MS - DAY_MS,
          )
      },
      async find(id) {
        const row = await findOAuthRecord(db, { kind, id: keyOf(id) }, now())
        if (row === undefined) return undefined
        const payload = toPayload(row)
        return isCredential ? { ...payload, jti: id } : payload
      },
      async findByUid(uid) {
        const row = await findOAuthRecord(db, { kind, uid }, now())
        return row && toPayload(row)
      },
      findByUserCode: async () => undefined,
      async consume(id) {
        if (!(await consumeOAuthRecord(db, kind, keyOf(id), now()))) throw alreadyUsed()
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

function toPayload({ payload_json, consumed_at }: OAuthRow): AdapterPayload {
  const payload: AdapterPayload = JSON.parse(payload_json)
  return consumed_at === null ? payload : { ...payload, consumed: Math.floor(consumed_at / 1_000) }
}
