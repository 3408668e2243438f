import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { hasCode } from '../../../base/errors.ts'
import type { Position } from './audit-files.ts'

interface StoredPosition extends Position {
  readonly owner: string
  /** The owner is considered alive until then, in milliseconds since the epoch. */
  readonly until: number
}

const LEASE_MS = 10_000

/**
 * The saved position, and which process exports. Processes that share a data folder share its audit
 * file: one of them sends it, and another takes over when that process stops renewing its lease.
 * If two ever send at once, lines are sent twice, but never lost.
 */
export class PositionFile {
  readonly #path: string
  readonly #owner = `${hostname()} ${process.pid} ${randomUUID()}`

  constructor(path: string) {
    this.#path = path
  }

  async read(): Promise<Position | undefined> {
    return this.#load()
  }

  /** Returns the position if this process may export now; undefined if another does. */
  async claim(fresh: () => Promise<Position>): Promise<Position | undefined> {
    const kept = await this.#load()
    if (kept && kept.owner !== this.#owner && kept.until > Date.now() && mayLive(kept.owner))
      return undefined
    const position = kept ?? (await fresh())
    await this.save(position)
    return position
  }

  async save(position: Position): Promise<void> {
    await this.#store(position, Date.now() + LEASE_MS)
  }

  async release(): Promise<void> {
    const kept = await this.#load()
    if (kept?.owner === this.#owner) await this.#store(kept, 0)
  }

  async #store({ head, offset }: Position, until: number): Promise<void> {
    const kept: StoredPosition = { head, offset, owner: this.#owner, until }
    const partial = `${this.#path}.${process.pid}`
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    await writeFile(partial, `${JSON.stringify(kept)}\n`, { mode: 0o600, flush: true })
    await rename(partial, this.#path)
  }

  async #load(): Promise<StoredPosition | undefined> {
    try {
      const kept: Partial<StoredPosition> = JSON.parse(await readFile(this.#path, 'utf8'))
      const { head, offset, owner = '', until = 0 } = kept
      return typeof head === 'string' && typeof offset === 'number'
        ? { head, offset, owner, until }
        : undefined
    } catch {
      return undefined // No file yet, or an incomplete one: export begins at the end of the log.
    }
  }
}

/** Whether the owner may still run; a process of this machine can be checked by its id. */
function mayLive(owner: string): boolean {
  const [host, pid] = owner.split(' ')
  if (host !== hostname()) return true
  try {
    return process.kill(Number(pid), 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}
