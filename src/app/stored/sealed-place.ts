import type { Environment } from '../../base/environment.ts'
import { identityFiles } from '../../identity/identity-files.ts'
import type { Seal } from '../../identity/vault/seal.ts'
import type { SharedDatabase } from '../../replicas/database/open-database.ts'
import type { SharedRedis } from '../../replicas/redis/shared-redis.ts'
import type { SuspendedStore } from '../../storage/shared/suspended-scripts.ts'

const LIMITS = { perOwner: 100, maxBytes: 1 << 30, rememberMs: 7 * 86_400_000 }

export interface SealedPlaceOptions {
  /** The data folder, whose own database is used if replicas share nothing. */
  readonly home: string
  readonly env: Environment
  readonly database: Pick<SharedDatabase, 'storage' | 'seal'> | undefined
  readonly redis: Pick<SharedRedis, 'suspended'> | undefined
}

export interface SealedStore {
  readonly store: SuspendedStore
  readonly seal: Seal
  close(): Promise<void>
}

/**
 * Opens the store of waiting work, and the seal it is stored under: shared by the replicas, or in
 * the database of the data folder. Nothing is loaded before the first use.
 */
export class SealedPlace {
  readonly #options: SealedPlaceOptions
  #opening: Promise<SealedStore> | undefined

  constructor(options: SealedPlaceOptions) {
    this.#options = options
  }

  async open(): Promise<SealedStore> {
    this.#opening ??= open(this.#options)
    try {
      return await this.#opening
    } catch (error) {
      this.#opening = undefined
      throw error
    }
  }

  async close(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.close()
  }
}

async function open({ home, env, database, redis }: SealedPlaceOptions): Promise<SealedStore> {
  const { createSuspendedStore } = await import('../../storage/shared/suspended-scripts.ts')
  if (database) {
    const store = createSuspendedStore(database.storage, LIMITS)
    return { store, seal: database.seal, close: async () => {} }
  }
  if (redis) {
    const { sealFromEnvironment } = await import('../../identity/vault/seal.ts')
    return {
      store: redis.suspended(LIMITS),
      seal: sealFromEnvironment(env),
      close: async () => {},
    }
  }
  const [{ openStorage }, { openSeal }] = await Promise.all([
    import('../../storage/open-storage.ts'),
    import('../../identity/vault/open-vault.ts'),
  ])
  // The seal first: whoever uses this tries again, and each try would leave a database open.
  const seal = openSeal(identityFiles(home).vaultKey, env)
  const storage = await openStorage({ home })
  const store = createSuspendedStore(storage, LIMITS)
  await store.trim().catch(async (error: unknown) => {
    await storage.close()
    throw error
  })
  return { store, seal, close: async () => storage.close() }
}
