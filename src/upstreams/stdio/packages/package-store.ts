import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { hasCode, messageOf } from '../../../base/errors.ts'
import { replaceFile } from '../../../base/files/replace-file.ts'
import { canonicalJson } from '../../../base/json/json.ts'
import { type LockedPackage, lockedPackageSchema } from '../../../gateway/tools/locked-package.ts'
import { findChangedFile, removeSealed, sealFiles } from './sealed-files.ts'

/** A package as an entry names it. */
export interface WantedPackage {
  readonly name: string
  readonly spec: string
}

const DAY_MS = 86_400_000
const UNUSED_MS = 90 * DAY_MS
const MODULES = 'package'
const RECORD = 'files.json'

/**
 * The installed packages of a data folder: one folder for each package with all its dependencies, and
 * one file for each package as entries name it, which says what that was when it was installed.
 */
export class PackageStore {
  readonly #root: string
  /** Apart from what can be installed again, as it is in backups. */
  readonly #pins: string

  constructor(home: string) {
    this.#root = join(home, 'packages')
    this.#pins = join(home, 'pins')
  }

  /** Returns what a name stands for; undefined before its first installation. */
  pinOf(wanted: WantedPackage): LockedPackage | undefined {
    try {
      return lockedPackageSchema.parse(JSON.parse(readFileSync(this.#pinPath(wanted), 'utf8')))
    } catch {
      return undefined
    }
  }

  /** Says what a name stands for. Of several processes that do so first, one wins. */
  pin(wanted: WantedPackage, locked: LockedPackage): LockedPackage {
    const path = this.#pinPath(wanted)
    const draft = `${path}.${randomUUID()}`
    mkdirSync(this.#pins, { recursive: true, mode: 0o700 })
    try {
      writeFileSync(draft, JSON.stringify(locked), { mode: 0o600 })
      // Fails if another process was first.
      linkSync(draft, path)
    } catch {
      return this.pinOf(wanted) ?? this.repin(wanted, locked)
    } finally {
      rmSync(draft, { force: true })
    }
    return locked
  }

  /** Has a name stand for another version. */
  repin(wanted: WantedPackage, locked: LockedPackage): LockedPackage {
    replaceFile(this.#pinPath(wanted), JSON.stringify(locked), 0o600)
    return locked
  }

  /** Where a package is once it is installed; it has `node_modules` in it. */
  folderOf(locked: LockedPackage): string {
    return join(this.#folderOf(locked), MODULES)
  }

  /** Whether a package is installed as it was; what has changed is put aside, and its name returned. */
  async check(locked: LockedPackage): Promise<{ readonly ok: boolean; readonly changed?: string }> {
    const folder = this.#folderOf(locked)
    if (!existsSync(folder)) return { ok: false }
    const changed = await findChangedFile(join(folder, MODULES), join(folder, RECORD)).catch(
      messageOf,
    )
    if (changed === undefined) {
      this.#noteUse(folder)
      return { ok: true }
    }
    const aside = this.asideOf(locked)
    await removeSealed(aside)
    mkdirSync(join(this.#root, 'changed'), { recursive: true, mode: 0o700 })
    try {
      renameSync(folder, aside)
    } catch (error) {
      // Another process was first.
      if (!hasCode(error, 'ENOENT')) throw error
    }
    return { ok: false, changed }
  }

  /** Where the changed files of a package are put. */
  asideOf(locked: LockedPackage): string {
    return join(this.#root, 'changed', keyOf(locked))
  }

  /**
   * Installs a package by filling a new folder, which gets its name only when it is complete. If
   * another process was first, its folder stays.
   */
  async install(locked: LockedPackage, fill: (draft: Draft) => Promise<void>): Promise<void> {
    await this.draft(async (draft, whole) => {
      await fill(draft)
      await sealFiles(draft.folder, join(whole, RECORD))
      rmSync(draft.cacheFolder, { recursive: true, force: true })
      try {
        renameSync(whole, this.#folderOf(locked))
      } catch (error) {
        if (!existsSync(this.#folderOf(locked))) throw error
      }
    })
    await this.#removeUnused()
  }

  /** Gives a folder for the time of some work. */
  async draft<Result>(work: (draft: Draft, whole: string) => Promise<Result>): Promise<Result> {
    const whole = join(this.#root, 'drafts', randomUUID())
    const draft = { folder: join(whole, MODULES), cacheFolder: join(whole, 'cache') }
    mkdirSync(draft.folder, { recursive: true, mode: 0o700 })
    try {
      return await work(draft, whole)
    } finally {
      await removeSealed(whole)
    }
  }

  async #removeUnused(): Promise<void> {
    const root = this.#root
    const drafts = namesIn(join(root, 'drafts')).map((name) => join(root, 'drafts', name))
    const packages = namesIn(root).map((name) => join(root, name))
    const old = [
      ...drafts.filter((path) => isOld(path, DAY_MS)),
      ...packages.filter((path) => isOld(join(path, RECORD), UNUSED_MS)),
    ]
    for (const path of old) await removeSealed(path)
  }

  #noteUse(folder: string): void {
    const now = new Date()
    try {
      utimesSync(join(folder, RECORD), now, now)
    } catch {
      // A full disk or one that is read-only: the package is still there.
    }
  }

  #folderOf(locked: LockedPackage): string {
    return join(this.#root, keyOf(locked))
  }

  #pinPath({ name, spec }: WantedPackage): string {
    return join(this.#pins, `${digest([name, spec])}.json`)
  }
}

export interface Draft {
  /** What is installed, and what is checked at each start. */
  readonly folder: string
  readonly cacheFolder: string
}

function keyOf(locked: LockedPackage): string {
  const { name, version } = locked
  return `${name.replace('/', '+')}@${version}-${digest(locked)}`
}

function digest(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 16)
}

function isOld(path: string, ms: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs > ms
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}
