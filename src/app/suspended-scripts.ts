import { randomUUID } from 'node:crypto'
import { messageOf } from '../base/errors.ts'
import type { Seal } from '../identity/vault/seal.ts'
import { readable } from '../replicas/database/unreachable.ts'
import { packSuspended, unpackSuspended } from '../sandbox/pack-suspended.ts'
import type { SuspendedStore, TakenRow } from '../storage/shared/suspended-scripts.ts'
import {
  type ExpiredScript,
  type ScriptMemo,
  type SuspendedScript,
  type SuspendedScripts,
  idOf,
  stateOf,
} from '../surfaces/scripts/run/suspended-scripts.ts'
import type { TrailRecord } from '../surfaces/scripts/host/trail.ts'
import type { Log } from '../telemetry/log.ts'
import type { SealedPlace } from './stored/sealed-place.ts'

/** A larger script, compressed, waits in memory: an agent may have a hundred of them. */
const MAX_STORED_BYTES = 16 << 20

export interface SealedScriptsOptions {
  readonly place: Pick<SealedPlace, 'open'>
  readonly settings: () => { readonly questionMs: number }
  readonly log: Log
}

/**
 * Stores suspended scripts as sealed rows. An image contains everything that the script has read,
 * so nobody with only the disk or the database may read or change it. Each is sealed under its id
 * and its owner.
 */
export class SealedScripts implements SuspendedScripts {
  readonly #options: SealedScriptsOptions
  #trimming: NodeJS.Timeout | undefined

  constructor(options: SealedScriptsOptions) {
    this.#options = options
  }

  async keep({ suspended, memo }: SuspendedScript, owner: string): Promise<string | undefined> {
    const { settings, log } = this.#options
    const { questionMs } = settings()
    const id = memo.task ?? randomUUID()
    try {
      const { store, seal } = await this.#options.place.open()
      const packed = await packSuspended(suspended, memo)
      const image =
        packed.length > MAX_STORED_BYTES ? undefined : seal.closeBytes(packed, nameOf(id, owner))
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
    const { store, seal } = await this.#options.place.open()
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
    const { store } = await this.#options.place.open()
    await store.remove(idOf(state) ?? '')
  }

  close(): void {
    clearTimeout(this.#trimming)
  }

  /** Deletes images once they have expired. */
  #trimAfter(store: SuspendedStore, ms: number): void {
    this.#trimming ??= setTimeout(() => {
      this.#trimming = undefined
      store.trim().catch(() => undefined)
    }, ms + 1000).unref()
  }
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
