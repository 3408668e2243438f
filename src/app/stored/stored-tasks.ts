import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { messageOf } from '../../base/errors.ts'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { TaskRecord, TaskRecords } from '../../gateway/tasks/task-records.ts'
import type { Seal } from '../../identity/vault/seal.ts'
import type { Log } from '../../telemetry/log.ts'
import type { SealedPlace } from './sealed-place.ts'

const compress = promisify(deflateRaw)
const expand = promisify(inflateRaw)

/** A larger result stays in memory, as up to a hundred results per agent are stored. */
const MAX_BYTES = 4 << 20

/**
 * Stores how tasks of clients of 2026-07-28 ended, as sealed rows beside those of suspended scripts:
 * each under its id and its owner, compressed off the main thread.
 */
export class StoredTasks implements TaskRecords {
  readonly #place: Pick<SealedPlace, 'open'>
  readonly #log: Log
  readonly #writing = new Set<Promise<void>>()
  #leaving = false

  constructor(place: Pick<SealedPlace, 'open'>, log: Log) {
    this.#place = place
    this.#log = log
  }

  async put(record: TaskRecord): Promise<void> {
    if (this.#leaving) return
    const written = this.#write(record)
    this.#writing.add(written)
    await written
    this.#writing.delete(written)
  }

  async read(id: string, owner: string): Promise<JsonObject | undefined> {
    const { store, seal } = await this.#place.open()
    const { readable } = await import('../../replicas/database/unreachable.ts')
    const row = await readable(async () => store.read(rowOf(id), spaceOf(owner)))
    if (typeof row?.image !== 'string') return undefined
    const packed = tryOpen(seal, row.image, nameOf(id, owner))
    if (!packed) return undefined
    const state = parseExact((await expand(packed)).toString('utf8'))
    return isObject(state) ? state : undefined
  }

  /** From now on tasks end only because this process ends, so their end is not stored. */
  leave(): void {
    this.#leaving = true
  }

  async flush(): Promise<void> {
    await Promise.all(this.#writing)
  }

  async #write({ id, owner, expiresAt, state }: TaskRecord): Promise<void> {
    const now = Date.now()
    try {
      const packed = await compress(stringifyExact(state))
      if (packed.length > MAX_BYTES || expiresAt <= now) return
      const { store, seal } = await this.#place.open()
      const image = seal.closeBytes(packed, nameOf(id, owner))
      if (image === undefined) return
      await store.insert({
        id: rowOf(id),
        owner: spaceOf(owner),
        image,
        trail: '',
        bytes: image.length,
        created_at: now,
        expires_at: expiresAt,
        resumed_at: null,
      })
    } catch (error) {
      this.#log.warn('The result of a task cannot be stored, and is in memory only', {
        error: messageOf(error),
      })
    }
  }
}

/** Returns undefined if the row was changed or sealed with another key. */
function tryOpen(seal: Seal, image: string, name: string): Buffer | undefined {
  try {
    return seal.openBytes(image, name)
  } catch {
    return undefined
  }
}

/** Has a prefix, as a script that waits as a task is stored under the id of that task. */
function rowOf(id: string): string {
  return `task ${id}`
}

/** A separate owner, so that tasks do not take the room of the owner's scripts. */
function spaceOf(owner: string): string {
  return `tasks of ${owner}`
}

function nameOf(id: string, owner: string): string {
  return `task ${id} of ${owner}`
}
