import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseExact, stringifyExact } from '../../../base/json/exact-json.ts'
import { isObject } from '../../../base/json/json.ts'
import type { ImportedApi } from '../tools/api-tool.ts'

/** Increase when the shape or creation of `ImportedApi` changes: older entries are then ignored. */
const FORMAT = 8
const MAX_ENTRIES = 64

/** Imported APIs on disk, by the hash of what they were made from. */
export class ImportCache {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, 'cache', 'openapi')
  }

  key(content: string, options: unknown): string {
    const hash = createHash('sha256').update(`${FORMAT}\n${JSON.stringify(options)}\n`)
    return hash.update(content).digest('hex')
  }

  /** Returns undefined if the entry is missing or damaged; it is then created again. */
  async get(key: string): Promise<ImportedApi | undefined> {
    try {
      const parsed: unknown = parseExact(await readFile(this.#path(key), 'utf8'), Infinity)
      return isImportedApi(parsed) ? parsed : undefined
    } catch {
      return undefined
    }
  }

  async set(key: string, api: ImportedApi): Promise<void> {
    const temporary = `${this.#path(key)}.${randomUUID()}.tmp`
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await writeFile(temporary, stringifyExact(api))
      await rename(temporary, this.#path(key))
      await this.#prune()
    } catch {
      // A read-only or full disk costs time at the next start, nothing else.
      await rm(temporary, { force: true }).catch(() => undefined)
    }
  }

  #path(key: string): string {
    return join(this.#folder, `${key}.json`)
  }

  async #prune(): Promise<void> {
    const names = await readdir(this.#folder)
    if (names.length <= MAX_ENTRIES) return
    const aged = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name)
        return { path, mtimeMs: (await stat(path)).mtimeMs }
      }),
    )
    const oldest = aged.toSorted((a, b) => b.mtimeMs - a.mtimeMs).slice(MAX_ENTRIES)
    await Promise.all(oldest.map(async ({ path }) => rm(path, { force: true })))
  }
}

/** Checks only that the file is complete; its name is a hash of all that went in. */
function isImportedApi(value: unknown): value is ImportedApi {
  return isObject(value) && Array.isArray(value['tools']) && isObject(value['report'])
}
