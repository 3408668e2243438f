import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../shared/replace-file.ts'

const record = z.object({
  file: z.string(),
  /** Copy of the file as it was before us; null where there was none. */
  backup: z.string().nullable(),
  /** The topmost folder that was made for it, if any. */
  folder: z.string().nullable(),
  /** Hash of the file as we left it; null once somebody else changed it too. */
  left: z.string().nullable(),
})
type Entry = z.output<typeof record>

export type Undone = 'restored' | 'removed' | 'edited'

/** What was changed in other programs' files, so that it can be taken back byte for byte. */
export class Journal {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, 'connections')
  }

  has(file: string): boolean {
    return this.#read(file) !== undefined
  }

  backupOf(file: string): string | undefined {
    return this.#read(file)?.backup ?? undefined
  }

  /** Lets `change` write the file, and remembers how it was before the first time. */
  async change(file: string, change: () => Promise<void> | void): Promise<void> {
    const before = existsSync(file) ? readFileSync(file) : undefined
    const known = this.#read(file)
    const entry = known ?? this.#begin(file, before)
    const isOurs = known === undefined || (before && hash(before) === known.left)
    await change()
    this.#write({ ...entry, left: isOurs ? hash(readFileSync(file)) : null })
  }

  /**
   * Puts the file back as it was. Where others changed it since, only our part may go: then `takeOut`
   * edits it, and the answer is `edited`.
   */
  async undo(file: string, takeOut: () => Promise<void> | void): Promise<Undone> {
    const entry = this.#read(file)
    const now = existsSync(file) ? readFileSync(file) : undefined
    if (!entry || now === undefined || hash(now) !== entry.left) {
      if (now !== undefined) await takeOut()
      this.#forget(file)
      return 'edited'
    }
    this.#forget(file)
    if (entry.backup === null) {
      rmSync(file)
      removeEmpty(dirname(file), entry.folder)
      return 'removed'
    }
    replaceFile(file, readFileSync(entry.backup))
    rmSync(entry.backup)
    return 'restored'
  }

  #begin(file: string, before: Uint8Array | undefined): Entry {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const folder = mkdirSync(dirname(file), { recursive: true }) ?? null
    if (before === undefined) return { file, backup: null, folder, left: null }
    const backup = join(this.#folder, `${this.#id(file)}.before`)
    writeFileSync(backup, before, { mode: 0o600 })
    return { file, backup, folder, left: null }
  }

  #read(file: string): Entry | undefined {
    const path = this.#path(file)
    return existsSync(path) ? record.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined
  }

  #write(entry: Entry): void {
    replaceFile(this.#path(entry.file), `${JSON.stringify(entry, null, 2)}\n`, 0o600)
  }

  #forget(file: string): void {
    rmSync(this.#path(file), { force: true })
  }

  #path(file: string): string {
    return join(this.#folder, `${this.#id(file)}.json`)
  }

  #id(file: string): string {
    return hash(file).slice(0, 16)
  }
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Removes the folders that were made for a file, from the inside out, as far as they are empty. */
function removeEmpty(inner: string, outer: string | null): void {
  if (outer === null || !inner.startsWith(outer)) return
  try {
    rmdirSync(inner)
  } catch {
    return // Somebody keeps something in it now.
  }
  if (inner !== outer) removeEmpty(dirname(inner), outer)
}
