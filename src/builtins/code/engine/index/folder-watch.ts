import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'

/** More folders than this would use up the system's watches, which all programs share. */
const MAX_FOLDERS = 4_000

/**
 * Knows whether anything happened under some folders since it was last asked.
 * It never says what: the walk is the truth, and the watch only says when it can be spared.
 */
export class FolderWatch {
  readonly #root: string
  readonly #watchers = new Map<string, FSWatcher>()
  #quiet = false
  #usable = true

  constructor(root: string) {
    this.#root = root
  }

  /** True when every folder is watched and none has stirred since `settle`. */
  async isQuiet(): Promise<boolean> {
    if (!this.#usable || !this.#quiet) return false
    // One turn of the loop, so that an event which is already there is heard before we answer.
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    return this.#quiet
  }

  /** To be called before a walk begins: what happens during the walk counts. */
  expect(): void {
    this.#quiet = true
  }

  /** Takes over the folders a walk has found. */
  follow(folders: readonly string[]): void {
    if (!this.#usable) return
    if (folders.length > MAX_FOLDERS) return this.#giveUp()
    const wanted = new Set(folders)
    for (const [folder, watcher] of this.#watchers) {
      if (wanted.has(folder)) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#add(folder)
  }

  close(): void {
    this.#giveUp()
  }

  #add(folder: string): void {
    try {
      const watcher = watch(join(this.#root, folder), { persistent: false }, () => {
        this.#quiet = false
      })
      watcher.on('error', () => this.#giveUp())
      this.#watchers.set(folder, watcher)
      // Changes between the walk and this moment were not reported.
      this.#quiet = false
    } catch {
      this.#giveUp()
    }
  }

  #giveUp(): void {
    this.#usable = false
    this.#quiet = false
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }
}
