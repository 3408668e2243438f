import { type FSWatcher, watch } from 'node:fs'
import { basename, join } from 'node:path'

/** More folders than this would use up the system's watches, which all programs share. */
const MAX_FOLDERS = 20_000
/** A changed rule decides about other folders too. */
const RULES = /^\.(?:gitignore|portolanignore)$/

/**
 * Knows in which folders anything happened since it was last asked, and nothing more: the walk is the
 * truth, and the watch only says where it can be spared.
 */
export class FolderWatch {
  readonly #root: string
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #changed = new Set<string>()
  /** Something happened that only a whole walk can tell. */
  #unknown = true
  #usable = true

  constructor(root: string) {
    this.#root = root
  }

  /** The folders in which something happened since `expect`; undefined where only a whole walk can tell. */
  async changes(): Promise<ReadonlySet<string> | undefined> {
    if (!this.#usable || this.#unknown) return undefined
    // One turn of the loop, so that an event which is already there is heard before we answer.
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    return this.#usable && !this.#unknown ? new Set(this.#changed) : undefined
  }

  /** To be called before a walk begins: what happens during the walk counts. */
  expect(): void {
    this.#unknown = false
    this.#changed.clear()
  }

  /** The walk that was expected failed: what it would have found is still to be found. */
  missed(): void {
    this.#unknown = true
  }

  /** Takes over all folders of the project, as a whole walk has found them. */
  follow(folders: readonly string[]): void {
    if (!this.#usable) return
    if (folders.length > MAX_FOLDERS) return this.#giveUp()
    const wanted = new Set(folders)
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder) && !this.#changed.has(folder)) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    this.followMore(folders)
  }

  /** Takes over folders that have come. */
  followMore(folders: readonly string[]): void {
    for (const folder of folders) if (this.#usable && !this.#watchers.has(folder)) this.#add(folder)
    if (this.#watchers.size > MAX_FOLDERS) this.#giveUp()
  }

  close(): void {
    this.#giveUp()
  }

  #add(folder: string): void {
    try {
      const watcher = watch(join(this.#root, folder), { persistent: false }, (_, name) => {
        this.#changed.add(folder)
        // A folder that is itself removed or renamed is not watched any more.
        if (name === null || RULES.test(name) || name === basename(folder)) this.#unknown = true
      })
      watcher.on('error', () => this.#giveUp())
      this.#watchers.set(folder, watcher)
      // Changes between the walk and this moment were not reported.
      this.#changed.add(folder)
    } catch {
      this.#giveUp()
    }
  }

  #giveUp(): void {
    this.#usable = false
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }
}
