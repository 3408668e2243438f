import { type BigIntStats, type FSWatcher, realpathSync, statSync, watch } from 'node:fs'
import { dirname, sep } from 'node:path'

/** The time without events after a change, so that a save in several steps is read once. */
const QUIET_MS = 60
/** The longest delay of a report, even if events keep coming. */
const AT_MOST_MS = 250
/** How often to poll if the system cannot watch a folder (network mounts, no inotify left). */
const POLL_MS = 400

/**
 * Calls back when one of the files is written, created, removed or replaced. Watches folders, not
 * files, because an editor that saves by renaming, or a mounted ConfigMap that swaps a symlink,
 * puts a new file under the old name.
 */
export function watchFiles(files: readonly string[], onChange: () => void): { close(): void } {
  const watchers = new Map<string, FSWatcher>()
  let names = new Set<string>()
  let seen = fingerprint(files)
  let timer: NodeJS.Timeout | undefined
  let firstEventAt = 0
  let poll: NodeJS.Timeout | undefined
  let closed = false

  function noticed(): void {
    if (closed) return
    const now = performance.now()
    if (timer === undefined) firstEventAt = now
    clearTimeout(timer)
    timer = setTimeout(check, Math.max(0, Math.min(QUIET_MS, firstEventAt + AT_MOST_MS - now)))
  }

  function check(): void {
    timer = undefined
    arm()
    const now = fingerprint(files)
    if (now === seen) return
    seen = now
    onChange()
  }

  /** Updates the watched folders, as links may point elsewhere now, and folders come and go. */
  function arm(): void {
    names = new Set([...files, ...files.map(realPath)].flatMap((path) => path.split(sep)))
    const wanted = new Map(files.flatMap(foldersOf).map((folder) => [folder.id, folder.path]))
    for (const [id, watcher] of watchers) {
      if (wanted.has(id)) continue
      watcher.close()
      watchers.delete(id)
    }
    for (const [id, path] of wanted) {
      if (watchers.has(id)) continue
      try {
        const watcher = watch(path, { persistent: false }, (event, name) => {
          // Ignore other files in the folder; the audit log alone is written ten times a second.
          if (event === 'rename' || name === null || names.has(name)) noticed()
        })
        watcher.on('error', () => {
          watcher.close()
          watchers.delete(id)
          startPolling()
        })
        watchers.set(id, watcher)
      } catch {
        startPolling()
      }
    }
  }

  function startPolling(): void {
    if (closed || poll !== undefined) return
    poll = setInterval(check, POLL_MS)
    poll.unref()
  }

  arm()
  return {
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(poll)
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

function fingerprint(files: readonly string[]): string {
  return files
    .map((file) => {
      const stat = look(file)
      return stat === undefined ? '-' : `${stat.dev}:${stat.ino}:${stat.mtimeNs}:${stat.size}`
    })
    .join(' ')
}

interface Folder {
  readonly id: string
  readonly path: string
}

/** Returns the folder in a file's path, and the one the file is in after resolving links. */
function foldersOf(file: string): Folder[] {
  return [existingFolder(dirname(file)), existingFolder(dirname(realPath(file)))]
}

/** Resolves links; returns the path itself if it does not exist. */
function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

/** Returns the folder, or its nearest existing ancestor, where its creation causes an event. */
function existingFolder(path: string): Folder {
  const stat = look(path)
  const above = dirname(path)
  if (stat === undefined && above !== path) return existingFolder(above)
  return { id: `${stat?.dev}:${stat?.ino}`, path }
}

/** Treats a path without permission as missing. */
function look(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}
