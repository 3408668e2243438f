import { randomUUID } from 'node:crypto'
import type { Environment } from '../base/environment.ts'
import { messageOf } from '../base/errors.ts'
import { identityFiles } from '../identity/identity-files.ts'
import { openSeal } from '../identity/vault/open-vault.ts'
import { type Seal, sealFromEnvironment } from '../identity/vault/seal.ts'
import type { SharedDatabase } from '../replicas/database/open-database.ts'
import type { SharedRedis } from '../replicas/redis/shared-redis.ts'
import { readable } from '../replicas/database/unreachable.ts'
import { packSuspended, unpackSuspended } from '../sandbox/pack-suspended.ts'
import { openStorage } from '../storage/open-storage.ts'
import {
  type SuspendedStore,
  type TakenRow,
  createSuspendedStore,
} from '../storage/shared/suspended-scripts.ts'
import {
  type ExpiredScript,
  type ScriptMemo,
  type SuspendedScript,
  type SuspendedScripts,
  idOf,
  stateOf,
} from '../surfaces/scripts/suspended-scripts.ts'
import type { TrailRecord } from '../surfaces/scripts/trail.ts'
import type { Log } from '../telemetry/log.ts'

const LIMITS = { perOwner: 100, maxBytes: 1 << 30, rememberMs: 7 * 86_400_000 }

export interface SealedScriptsOptions {
  /** The data folder, whose own database is used where replicas share nothing. */
  readonly home: string
  readonly env: Environment
  readonly database: Pick<SharedDatabase, 'storage' | 'seal'> | undefined
  readonly redis: Pick<SharedRedis, 'suspended'> | undefined
  readonly settings: () => { readonly questionMs: number; readonly storedBytes: number }
  readonly log: Log
}

interface Place {
  readonly store: SuspendedStore
  readonly seal: Seal
  close(): Promise<void>
}

/**
 * Suspended scripts as sealed rows: an image has whatever the script has read, so that nobody who has
 * only the disk or the database may read it, and nobody may change it. Each is sealed under its id and
 * its owner.
 */
export class SealedScripts implements SuspendedScripts {
  readonly #options: SealedScriptsOptions
  #place: Promise<Place> | undefined
  #trimming: NodeJS.Timeout | undefined

  constructor(options: SealedScriptsOptions) {
    this.#options = options
  }

  async keep({ suspended, memo }: SuspendedScript, owner: string): Promise<string | undefined> {
    const { settings, log } = this.#options
    const { questionMs, storedBytes } = settings()
    const id = memo.task ?? randomUUID()
    try {
      const { store, seal } = await this.#open()
      const packed = await packSuspended(suspended, memo)
      const image =
        packed.length > storedBytes ? undefined : seal.closeBytes(packed, nameOf(id, owner))
      if (image === undefined) return undefined
      const now = Date.now()
      await store.insert({
        id,
        owner,
        image,
        trail: seal.close(JSON.stringify(memo.trail), nameOf(id, owner)),
        bytes: image.length,
        created_at: now,
        expires_at: now + questionMs,
        resumed_at: null,
      })
      this.#trimAfter(store, questionMs)
      return stateOf(id)
    } catch (error) {
      log.warn('A script that asks a question cannot be stored, and waits in memory', {
        error: messageOf(error),
      })
      return undefined
    }
  }

  async take(state: string, owner: string): Promise<SuspendedScript | ExpiredScript | undefined> {
    return this.#find(state, owner, 'take')
  }

  async read(state: string, owner: string): Promise<ScriptMemo | ExpiredScript | undefined> {
    const found = await this.#find(state, owner, 'read')
    return found && 'memo' in found ? found.memo : found
  }

  async #find(
    state: string,
    owner: string,
    how: 'take' | 'read',
  ): Promise<SuspendedScript | ExpiredScript | undefined> {
    const id = idOf(state)
    if (id === undefined) return undefined
    const { store, seal } = await this.#open()
    const row = await readable(async () => store[how](id, owner))
    if (!row) return undefined
    const name = nameOf(id, owner)
    const trail = trailOf(row, seal, name)
    const { image, resumed_at: resumedAt } = row
    if (image === null)
      return resumedAt === null ? { why: 'late', trail } : { why: 'resumed', resumedAt, trail }
    let packed: Buffer
    try {
      packed = seal.openBytes(image, name)
    } catch {
      return { why: 'unreadable', trail }
    }
    return unpackSuspended<ScriptMemo>(packed)
  }

  async remove(state: string): Promise<void> {
    const { store } = await this.#open()
    await store.remove(idOf(state) ?? '')
  }

  async close(): Promise<void> {
    clearTimeout(this.#trimming)
    await (await this.#place?.catch(() => undefined))?.close()
  }

  async #open(): Promise<Place> {
    this.#place ??= open(this.#options)
    try {
      return await this.#place
    } catch (error) {
      this.#place = undefined
      throw error
    }
  }

  /** Images are not left lying about when their time is over. */
  #trimAfter(store: SuspendedStore, ms: number): void {
    this.#trimming ??= setTimeout(() => {
      this.#trimming = undefined
      store.trim().catch(() => undefined)
    }, ms + 1000).unref()
  }
}

/** Where scripts wait: where replicas share what they have, or in the database of the data folder. */
async function open({ home, env, database, redis }: SealedScriptsOptions): Promise<Place> {
  if (database) {
    const store = createSuspendedStore(database.storage, LIMITS)
    return { store, seal: database.seal, close: async () => {} }
  }
  if (redis)
    return {
      store: redis.suspended(LIMITS),
      seal: sealFromEnvironment(env),
      close: async () => {},
    }
  const [storage, seal] = await Promise.all([
    openStorage({ home }),
    openSeal(identityFiles(home).vaultKey, env),
  ])
  const store = createSuspendedStore(storage, LIMITS)
  await store.trim()
  return { store, seal, close: async () => storage.close() }
}

function nameOf(id: string, owner: string): string {
  return `suspended script ${id} of ${owner}`
}

function trailOf({ trail }: TakenRow, seal: Seal, name: string): TrailRecord {
  try {
    return JSON.parse(seal.open(trail, name))
  } catch {
    return { entries: [], planned: [], logs: [] }
  }
}
