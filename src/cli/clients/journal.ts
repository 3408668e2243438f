import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { ClientConfig } from './client.ts'
import { type Edit, editConfig, inverseOf } from './edit-config.ts'
import { parseConfig } from './parse-config.ts'
import { valueAt } from './read-client-configs.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { contentOf, writeContent } from '../../config/history/config-files.ts'
import { type Workspace, dataFolder } from '../../config/paths.ts'
import { textOf } from '../../config/text-of.ts'
import { identityFiles } from '../../identity/identity-files.ts'
import { openSeal } from '../../identity/vault/open-vault.ts'
import type { Seal } from '../../identity/vault/seal.ts'
import { readSealed, writeSealed } from '../../identity/vault/seal-files.ts'

const change = z.object({
  path: z.array(z.string()),
  /** The value before our change and after it; absent if there was none. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
})

const record = z.object({
  file: z.string(),
  format: z.enum(['json', 'toml', 'yaml']).optional(),
  /** The sealed copy of the original file; null if there was none. */
  backup: z.string().nullable(),
  /** The topmost folder that was created for it, if any. */
  folder: z.string().nullable(),
  /** The hash of the file as we left it; null once someone else has changed it too. */
  left: z.string().nullable(),
  /** Our changes, latest first. */
  changes: z.array(change).default([]),
  /** The lines that we added to a file without a format. */
  lines: z.array(z.string()).default([]),
})
type Entry = z.output<typeof record>

export type Undone = 'restored' | 'removed' | 'edited'

/**
 * Records changes to files of people and other programs, so that they can be undone byte for byte.
 * Copies a file before it is written, so that an interruption loses nothing. Records and copies are
 * sealed, as files of clients hold secrets.
 */
export class Journal {
  readonly #folder: string
  readonly #place: Workspace
  readonly #onEdited: (file: string, text: { before: string; after: string }) => void

  /** `onEdited` is called with every file whose values were changed or restored. */
  constructor(
    { cwd, env, home }: Workspace & { readonly home: string },
    onEdited: (file: string, text: { before: string; after: string }) => void,
  ) {
    this.#folder = join(home, 'connections')
    this.#place = { cwd, env: { ...env, PORTOLAN_HOME: home } }
    this.#onEdited = onEdited
  }

  has(file: string): boolean {
    return this.#read(file) !== undefined
  }

  /** Whether the file as it was before the first change is kept, for `original`. */
  hasOriginal(file: string): boolean {
    return existsSync(this.#backupPath(file))
  }

  /** Returns a file as it was before the first change; undefined if there is no copy. */
  original(file: string): Buffer | undefined {
    return this.hasOriginal(file) ? this.#open(this.#backupPath(file)) : undefined
  }

  /** Every file that can be undone. */
  files(): string[] {
    if (!existsSync(this.#folder)) return []
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => this.#parse(join(this.#folder, name)).file)
  }

  /** Changes some values of a file, and records the old ones. */
  edit(config: Pick<ClientConfig, 'file' | 'format'>, edits: readonly Edit[], mode?: number): void {
    const { file, format } = config
    const text = textOf(file)
    const edited = editConfig(text, config, edits)
    const befores = inverseOf(text, config, edits)
    const changes = edits
      .map(({ path, value }, index) => ({
        path: [...path],
        before: befores.at(-1 - index)?.value,
        after: value,
      }))
      .toReversed()
    const entry = this.#begin(file)
    this.#write({
      ...entry,
      format,
      left: this.#isOurs(entry, text) ? hash(edited) : null,
      changes: [...changes, ...entry.changes],
    })
    replaceFile(file, edited, mode)
    this.#onEdited(file, { before: text, after: edited })
  }

  /**
   * Lets `work` write the file, and keeps a copy of it as it was before the first change. `lines` are
   * those that it adds, if it only adds lines.
   */
  async change(
    file: string,
    work: () => Promise<void> | void,
    lines: readonly string[] = [],
  ): Promise<void> {
    const begun = this.#begin(file)
    const entry = { ...begun, lines: [...begun.lines, ...lines] }
    const isOurs = this.#isOurs(entry, this.#contentOf(file) ?? '')
    this.#write({ ...entry, left: null })
    await work()
    this.#write({ ...entry, left: isOurs ? hash(this.#contentOf(file) ?? '') : null })
  }

  /**
   * Restores the file. If others have changed it since, removes only our part, with `takeOut` or by
   * the recorded values; then returns `edited` and keeps the copy of the original.
   */
  async undo(file: string, takeOut?: () => Promise<void> | void): Promise<Undone> {
    const entry = this.#read(file)
    const now = this.#contentOf(file)
    if (now !== null && !(entry && this.#isUntouched(entry, now))) {
      const before = now.toString('utf8')
      if (takeOut) await takeOut()
      else if (entry) this.#takeBack(entry, before)
      const after = this.#contentOf(file)
      if (after !== null) this.#onEdited(file, { before, after: after.toString('utf8') })
      this.#forget(file)
      return 'edited'
    }
    const undone = this.#restore(file, entry)
    this.#forget(file)
    return undone
  }

  /** Returns the record of a file; copies a file that has no record yet. */
  #begin(file: string): Entry {
    const known = this.#read(file)
    if (known) return known
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const folder = mkdirSync(dirname(file), { recursive: true }) ?? null
    const entry = { file, folder, changes: [], lines: [] }
    const before = this.#contentOf(file)
    if (before === null) return { ...entry, backup: null, left: hash('') }
    const backup = this.#backupPath(file)
    writeSealed(backup, before, this.#seal())
    return { ...entry, backup, left: hash(before) }
  }

  /** Whether nobody else has written the file since. */
  #isOurs({ left }: Entry, now: string | Uint8Array): boolean {
    return left === hash(now)
  }

  #read(file: string): Entry | undefined {
    const path = this.#path(file)
    return existsSync(path) ? this.#parse(path) : undefined
  }

  #write(entry: Entry): void {
    writeSealed(this.#path(entry.file), JSON.stringify(entry), this.#seal())
  }

  #forget(file: string): void {
    rmSync(this.#path(file), { force: true })
  }

  #path(file: string): string {
    return join(this.#folder, `${idOf(file)}.json`)
  }

  #backupPath(file: string): string {
    return join(this.#folder, `${idOf(file)}.before`)
  }

  #parse(path: string): Entry {
    return record.parse(JSON.parse(this.#open(path).toString('utf8')))
  }

  #open(path: string): Buffer {
    return readSealed(path, () => this.#seal())
  }

  #seal(): Seal {
    const { env } = this.#place
    return openSeal(identityFiles(dataFolder(this.#place)).vaultKey, env)
  }

  /** Returns the content of a file, or of what is stored sealed in its place. */
  #contentOf(file: string): Buffer | null {
    return contentOf(file, this.#place)
  }

  /** Restores the original file, or removes the file if there was none. */
  #restore(file: string, entry: Entry | undefined): Undone {
    if (entry && entry.backup !== null) {
      // Private, if the file was deleted since: nobody knows its mode any more.
      writeContent(file, this.#open(entry.backup), this.#place)
      rmSync(entry.backup)
      return 'restored'
    }
    writeContent(file, null, this.#place)
    removeEmpty(dirname(file), entry?.folder ?? null)
    return 'removed'
  }

  /** Whether the file is as we left it, or still the original because we were interrupted. */
  #isUntouched({ left, backup }: Entry, now: Buffer): boolean {
    return hash(now) === left || (backup !== null && this.#open(backup).equals(now))
  }

  /** Restores what is still as we left it; keeps what others have set since. */
  #takeBack(entry: Entry, text: string): void {
    const { file, format } = entry
    const restored =
      format === undefined
        ? withoutLines(entry, text)
        : withValuesBefore(entry, { file, format }, text)
    if (restored !== text) writeContent(file, Buffer.from(restored), this.#place)
  }
}

function withoutLines({ lines }: Entry, text: string): string {
  return text
    .split(/(?<=\n)/)
    .filter((line) => !lines.includes(line.trimEnd()))
    .join('')
}

function withValuesBefore(
  { changes }: Entry,
  config: Pick<ClientConfig, 'file' | 'format'>,
  text: string,
): string {
  return changes.reduce((current, { path, before, after }) => {
    const value = valueAt(parseConfig(current, config), path)
    const isOurs =
      value === undefined ? after === undefined : isDeepStrictEqual(plain(value), after)
    return isOurs ? editConfig(current, config, [{ path, value: before }]) : current
  }, text)
}

/** Copies a value, as TOML tables have no prototype and would equal nothing. */
function plain(value: unknown): unknown {
  return structuredClone(value)
}

function idOf(file: string): string {
  return hash(file).slice(0, 16)
}

function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Removes the folders that were created for a file, innermost first, as long as they are empty. */
function removeEmpty(inner: string, outer: string | null): void {
  if (outer === null || !inner.startsWith(outer)) return
  try {
    rmdirSync(inner)
  } catch {
    return // It is no longer empty.
  }
  if (inner !== outer) removeEmpty(dirname(inner), outer)
}
