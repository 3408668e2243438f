import { LRUCache } from 'lru-cache'
import { createKeySecret, isSecretOf, keyIdOf } from '../../identity/key-secret.ts'
import type { Key, KeyStore } from '../../identity/key-store.ts'
import { toRole } from '../../identity/role.ts'
import { withTimeout } from '../../base/flow/time.ts'
import type { Listening } from '../../storage/engines/listen-postgres.ts'
import { notify } from '../../storage/notices.ts'
import { type KeyRow, findKey, insertKey, listKeys, revokeKey } from '../../storage/shared/keys.ts'
import type { Storage } from '../../storage/storage.ts'
import { isUnreachable, readable, unreachable } from './unreachable.ts'

export interface DatabaseKeyStoreOptions {
  readonly storage: Storage
  readonly listening: Listening
  /** How long a known key continues to work while the database is unreachable. */
  readonly graceMs: number
}

interface CachedKey {
  /** Undefined when there is no such key. */
  readonly row: KeyRow | undefined
  readonly key: Key | undefined
  readonly at: number
}

const CACHED = 10_000
/** Notices announce every change; in case one is lost, keys are read again after this time. */
const LOOK_AGAIN_MS = 30_000
/** Without notices, a revocation must still take effect within a second. */
const RECHECK_WITHOUT_NOTICES_MS = 500
const ANSWER_MS = 3_000

/** The keys of all replicas. A key costs a query on first use, and again after a change. */
export function createDatabaseKeyStore(options: DatabaseKeyStoreOptions): KeyStore {
  const { storage, listening, graceMs } = options
  const known = new LRUCache<string, CachedKey>({ max: CACHED })
  /** A separate cache, so that invalid keys cannot evict valid ones. */
  const unknown = new LRUCache<string, CachedKey>({ max: 1_000 })
  const asked = new Map<string, Promise<CachedKey>>()
  /** The secret last verified for a row, so that it is not hashed again on each call. */
  const checked = new WeakMap<KeyRow, string>()
  /** Entries read before this time may have changed since. */
  let staleBefore = 0

  listening.on('keys', (id) => {
    if (id === undefined) staleBefore = Date.now()
    else {
      known.delete(id)
      unknown.delete(id)
      asked.delete(id)
    }
  })

  async function ask(id: string): Promise<CachedKey> {
    const running = asked.get(id)
    if (running) return running
    const answer = look(id)
    asked.set(id, answer)
    try {
      const found = await answer
      // A notice removes the pending query from `asked`, because its answer may be outdated.
      if (asked.get(id) === answer) (found.row ? known : unknown).set(id, found)
      return found
    } finally {
      if (asked.get(id) === answer) asked.delete(id)
    }
  }

  async function look(id: string): Promise<CachedKey> {
    const at = Date.now()
    const row = await withTimeout(findKey(storage.db, id), ANSWER_MS, () => {
      throw Object.assign(new Error(`No answer within ${ANSWER_MS} ms`), { code: 'ETIMEDOUT' })
    })
    return { row, key: row && toKey(row), at }
  }

  function isFresh({ at }: CachedKey, now: number): boolean {
    return (
      at >= staleBefore &&
      now - at < (listening.state.kind === 'live' ? LOOK_AGAIN_MS : RECHECK_WITHOUT_NOTICES_MS)
    )
  }

  /** While the database does not answer, an entry within the grace period is still used. */
  function standIn(entry: CachedKey | undefined, now: number): CachedKey | undefined {
    return entry && now - entry.at < graceMs ? entry : undefined
  }

  /** Returns the key if the secret matches it, or if no secret is given. */
  function verified({ row, key }: CachedKey, secret: string | undefined): Key | undefined {
    if (row === undefined || secret === undefined) return key
    if (checked.get(row) !== secret) {
      if (!isSecretOf(secret, row.sha256)) return undefined
      checked.set(row, secret)
    }
    return key
  }

  async function fromDatabase(id: string, secret?: string): Promise<Key | undefined> {
    try {
      return verified(await ask(id), secret)
    } catch (error) {
      const before = standIn(known.get(id), Date.now())
      if (before && isUnreachable(error)) return verified(before, secret)
      throw isUnreachable(error) ? unreachable(error) : error
    }
  }

  function keyOf(id: string, secret?: string): Key | undefined | Promise<Key | undefined> {
    const now = Date.now()
    const entry = known.get(id) ?? unknown.get(id)
    if (entry && isFresh(entry, now)) return verified(entry, secret)
    const before = listening.state.kind === 'down' ? standIn(entry, now) : undefined
    return before ? verified(before, secret) : fromDatabase(id, secret)
  }

  return {
    find(secret): Key | undefined | Promise<Key | undefined> {
      const id = keyIdOf(secret)
      return id === undefined ? undefined : keyOf(id, secret)
    },
    byId(id): Key | undefined | Promise<Key | undefined> {
      return keyOf(id)
    },
    async create(agent, { expiresAt, role } = {}) {
      const { id, secret, sha256 } = createKeySecret()
      const row: KeyRow = {
        id,
        agent,
        sha256,
        role: role === undefined || role === 'agent' ? null : role,
        created_at: Date.now(),
        expires_at: expiresAt ?? null,
        revoked_at: null,
      }
      await readable(async () =>
        storage.transaction(async (tx) => {
          await insertKey(tx, row)
          await notify(tx, storage.engine, 'keys', id)
        }),
      )
      return { key: toKey(row), secret }
    },
    async list() {
      return readable(async () => (await listKeys(storage.db)).map(toKey))
    },
    async revoke(id) {
      const row = await readable(async () =>
        storage.transaction(async (tx) => {
          const revoked = await revokeKey(tx, id, Date.now())
          if (revoked) await notify(tx, storage.engine, 'keys', id)
          return revoked
        }),
      )
      known.delete(id)
      return row && toKey(row)
    },
  }
}

function toKey(row: KeyRow): Key {
  const role = row.role === null ? 'agent' : toRole(row.role)
  return {
    id: row.id,
    agent: row.agent,
    ...(role !== 'agent' && { role }),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  }
}
