import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import type { Environment } from '../../base/environment.ts'
import { sharedServicesFrom } from '../../config/shared-services.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { KeyStore } from '../../identity/key-store.ts'
import type { ResultStore } from '../../shaping/handles/result-store.ts'
import { type Listening, listenPostgres } from '../../storage/engines/listen-postgres.ts'
import { notify } from '../../storage/notices.ts'
import { openStorage } from '../../storage/open-storage.ts'
import { ensureSecret, writeSecret } from '../../storage/shared/secrets.ts'
import type { Storage } from '../../storage/storage.ts'
import type { AuditSearch } from '../../telemetry/audit/audit-search.ts'
import type { Prices } from '../../telemetry/history/prices.ts'
import type { UsageHistory } from '../../telemetry/history/usage.ts'
import { type Seal, sealFromEnvironment } from '../../identity/vault/seal.ts'
import type { SignInChanges } from '../../identity/incoming/sign-in-changes.ts'
import type { Vault } from '../../identity/vault/vault.ts'
import { type AuditIndex, createAuditIndex } from './audit-index.ts'
import { createDatabaseAuditSearch } from './database-audit-search.ts'
import { createDatabaseHistory } from './database-history.ts'
import { createDatabaseKeyStore } from './database-key-store.ts'
import { createDatabaseResultStore } from './database-result-store.ts'
import { createDatabaseVault } from './database-vault.ts'
import { type HouseRules, keepHouse } from './housekeeping.ts'
import { type StoredConfigSource, openStoredConfig } from './stored-config.ts'
import { isUnreachable } from './unreachable.ts'

export interface DatabaseHealth {
  /** `no_notices`: it answers but sends no notices of changes, so it is polled instead. */
  readonly state: 'ok' | 'no_notices' | 'down'
  /** The start of this state, in milliseconds since the epoch. */
  readonly since: number
  readonly error?: string
}

/** The stored data that all replicas share, each part with the interface of the embedded one. */
export interface SharedDatabase {
  readonly storage: Storage
  /** Signs the handles of sub-agents: the same on every replica. */
  readonly handleSecret: Buffer
  readonly auditSearch: AuditSearch
  readonly history: UsageHistory
  health(): DatabaseHealth
  /** `graceMs`: how long keys that were in use still work while the database is unreachable. */
  keys(graceMs?: number): KeyStore
  results(local: ResultStore, ttlMs: number): ResultStore
  auditIndex(prices?: () => Prices): AuditIndex
  /** Sign-ins and keys of people. */
  readonly vault: Vault
  /** Seals the stored secrets: its key is the same on every replica. */
  readonly seal: Seal
  /** Announces changes that any replica makes to sign-ins, sessions and people. */
  readonly signInChanges: SignInChanges
  /** Returns the pushed configuration and follows its changes. */
  config(): Promise<StoredConfigSource>
  /** Called when saved scripts may have changed; returns the function to unsubscribe. */
  onScripts(listener: () => void): () => void
  keepHouse(rules: () => HouseRules): void
  close(): Promise<void>
}

/** Long enough for a failover or a restart of the database. */
const KEY_GRACE_MS = 900_000
const RETRY_MS = { min: 100, max: 2_000 }

/** Opens a database; the environment has its settings and the passphrase of its sealed data. */
export async function openDatabase(
  databaseUrl: string,
  env: Environment,
  onWait?: (problem: string) => void,
): Promise<SharedDatabase> {
  const { listenUrl = databaseUrl, schema, poolSize, waitMs } = sharedServicesFrom(env)
  const storage = await patiently(
    waitMs,
    async () => openStorage({ home: '', databaseUrl, schema, poolSize }),
    onWait,
  )
  const seal = sealFromEnvironment(env)
  const handleSecret = await secretOfHandles(storage, seal).catch(async (error: unknown) => {
    await storage.close()
    throw error
  })
  const listening = listenPostgres(listenUrl, async (topic, detail) =>
    notify(storage.db, storage.engine, topic, detail),
  )
  const undo: (() => void)[] = []
  return {
    storage,
    handleSecret,
    auditSearch: createDatabaseAuditSearch(storage),
    health: () => toHealth(listening),
    keys: (graceMs = KEY_GRACE_MS) => createDatabaseKeyStore({ storage, listening, graceMs }),
    results(local, ttlMs) {
      const store = createDatabaseResultStore({ storage, local, ttlMs })
      undo.push(listening.onLive(() => void store.catchUp().catch(() => undefined)))
      return store
    },
    history: createDatabaseHistory(storage),
    auditIndex: (prices) => createAuditIndex({ storage, ...(prices && { prices }) }),
    vault: createDatabaseVault({ storage, listening, seal }),
    seal,
    signInChanges: {
      on: (listener) => listening.on('sign-ins', () => listener()),
      get isLive() {
        return listening.state.kind === 'live'
      },
    },
    async config() {
      const source = await openStoredConfig(storage, listening)
      undo.push(() => source.close())
      return source
    },
    onScripts: (listener) => listening.on('scripts', listener),
    keepHouse(rules) {
      const house = keepHouse(storage, rules)
      undo.push(() => house.close())
    },
    async close() {
      for (const stop of undo) stop()
      await listening.close()
      await storage.close()
    },
  }
}

/** The name under which the database stores the secret that signs handles. */
export const HANDLES = 'handles'

async function secretOfHandles(storage: Storage, seal: Seal): Promise<Buffer> {
  const kept = await ensureSecret(storage.db, HANDLES, () =>
    seal.close(randomBytes(32).toString('base64url'), HANDLES),
  )
  const secret = seal.open(kept, HANDLES)
  if (seal.isStale(kept, HANDLES))
    await writeSecret(storage.db, HANDLES, seal.close(secret, HANDLES))
  return Buffer.from(secret, 'base64url')
}

function toHealth({ state: { kind, since, error } }: Listening): DatabaseHealth {
  return kind === 'down' || kind === 'no_notices'
    ? { state: kind, since, ...(error !== undefined && { error }) }
    : { state: 'ok', since }
}

/** Replicas and their database often start together, so this retries for up to `waitMs`. */
async function patiently(
  waitMs: number,
  open: () => Promise<Storage>,
  onWait?: (problem: string) => void,
): Promise<Storage> {
  const giveUpAt = Date.now() + waitMs
  for (let wait = RETRY_MS.min; ; wait = Math.min(wait * 2, RETRY_MS.max)) {
    try {
      return await open()
    } catch (cause) {
      if (!isUnreachable(cause) || Date.now() + wait > giveUpAt) throw unusable(cause, waitMs)
      if (wait === RETRY_MS.min)
        onWait?.(
          `The database of PORTOLAN_DATABASE_URL does not answer: ${messageOf(cause)}. It is tried for up to ${Math.round(waitMs / 1_000)} s (PORTOLAN_DATABASE_WAIT_MS).`,
        )
      await sleep(wait)
    }
  }
}

function unusable(cause: unknown, waitMs: number): GatewayError {
  const said = messageOf(cause)
  const waited = waitMs >= 1_000 ? ` within ${Math.round(waitMs / 1_000)} s` : ''
  const what = isUnreachable(cause) ? `did not answer${waited}` : 'cannot be used'
  return new GatewayError(
    'SERVER_UNAVAILABLE',
    `The database of PORTOLAN_DATABASE_URL ${what}: ${said}`,
    {
      hint: 'Start PostgreSQL, correct PORTOLAN_DATABASE_URL, or unset it to keep everything in the data folder. PORTOLAN_DATABASE_WAIT_MS says how long to wait for it.',
      cause,
    },
  )
}
