import { type FSWatcher, watch } from 'node:fs'
import { basename, join } from 'node:path'

/** More folders than this would use up the system's watches, which all programs share. */
const MAX_FOLDERS = 20_000
/** Ignore files: a changed rule affects other folders too. */
const RULES = /^\.(?:gitignore|portolanignore)$/

/**
 * Tracks the folders in which something changed since the last walk, and nothing more: the walk
 * decides what is indexed, the watch only tells which folders it may skip.
 */
export class FolderWatch {
  readonly #root: string
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #changed = new Set<string>()
  /** True if only a full walk can tell what has changed. */
  #unknown = true
  #usable = true

  constructor(root: string) {
    this.#root = root
  }

  /** Returns the folders that changed since `expect`, or undefined if only a full walk can tell. */
  async changes(): Promise<ReadonlySet<string> | undefined> {
    if (!this.#usable || this.#unknown) return undefined
    // Waits for one full turn of the event loop, so that events already pending are seen first.
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    return this.#usable && !this.#unknown ? new Set(this.#changed) : undefined
  }

  /** Call it before a walk starts, so that changes during the walk are recorded. */
  expect(): void {
    this.#unknown = false
    this.#changed.clear()
  }

  /** Call it when that walk failed: only a full walk can then tell what has changed. */
  missed(): void {
    this.#unknown = true
  }

  /** Watches all folders of the project, as found by a full walk. */
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

  /** Watches new folders as well. */
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
        // A folder that was itself removed or renamed is no longer watched.
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
