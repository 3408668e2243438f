import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import {
  type OAuthRow,
  consumeOAuthRecord,
  deleteExpiredOAuthRecords,
  deleteOAuthGrant,
  deleteOAuthRecord,
  findOAuthRecord,
  putOAuthRecord,
} from '../../../storage/sign-in/oauth-records.ts'
import type { Storage } from '../../../storage/storage.ts'

/** Whoever has one of these has its rights, so that only its hash is kept. */
const CREDENTIALS = new Set(['Session', 'AccessToken', 'AuthorizationCode', 'RefreshToken'])

/** A client that registered itself is forgotten when it has not been used for this long. */
const CLIENT_MS = 90 * 86_400_000
const DAY_MS = 86_400_000
const SWEEP_MS = 3_600_000

export interface RecordAdapterOptions {
  /** The error for a code or token that may be used once and is used twice at the same moment. */
  readonly alreadyUsed: () => Error
  readonly now?: () => number
}

/** What the authorization server keeps, in our database: every replica knows every code and token. */
export function createRecordAdapter(
  { db }: Pick<Storage, 'db'>,
  { alreadyUsed, now = Date.now }: RecordAdapterOptions,
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
        const ms = kind === 'Client' ? CLIENT_MS : expiresIn && expiresIn * 1_000
        await write(id, payload, ms ? now() + ms : null)
      },
      async find(id) {
        const row = await findOAuthRecord(db, { kind, id: keyOf(id) }, now())
        if (row === undefined) return undefined
        const payload = toPayload(row)
        if (kind === 'Client' && (row.expires_at ?? 0) < now() + CLIENT_MS - DAY_MS)
          await write(id, payload, now() + CLIENT_MS)
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
      destroy: async (id) => deleteOAuthRecord(db, kind, keyOf(id)),
      revokeByGrantId: async (grantId) => deleteOAuthGrant(db, kind, grantId),
    }
  }
}

function toPayload({ payload_json, consumed_at }: OAuthRow): AdapterPayload {
  const payload: AdapterPayload = JSON.parse(payload_json)
  return consumed_at === null ? payload : { ...payload, consumed: Math.floor(consumed_at / 1_000) }
}
