import { isDeepStrictEqual } from 'node:util'
import type { SavedFile } from '../history/follow-hand-edits.ts'
import type { Config, LoadOptions } from '../load.ts'
import {
  FILE_KINDS,
  type FileKind,
  type Workspace,
  candidates,
  dataFolder,
  explicitPath,
} from '../paths.ts'
import { secretFiles } from '../secrets/stored-secrets.ts'
import { readIfFound } from '../../base/files/read-found-file.ts'
import { namedPathsIn } from '../trust/named-files.ts'
import { trustListFile } from '../trust/trust-list.ts'
import { ConfigError } from '../problem.ts'
import { type ReloadRecord, type ReloadStatus, createReloader } from './reloader.ts'
import { watchFiles } from './watch-files.ts'

export interface ConfigWatcher {
  readonly current: Config
  readonly status: ReloadStatus
  /** The newest pushed version, in use or not; undefined if the configuration is in files. */
  readonly latestVersion?: number | undefined
  /** The last reloads, newest first. */
  readonly history: readonly ReloadRecord[]
  /** Reads everything again, as on SIGHUP; resolves once `onReload` is done. */
  reload(): Promise<Config>
  close(): void
}

export interface WatchListeners {
  /** Called with a complete config if something changed; never concurrently. */
  onReload(next: Config, previous: Config): void | Promise<void>
  /** Called after every reload, even one without changes, once it is in force. */
  onRecord?(record: ReloadRecord): void
  /** Called with what the person has saved in a folder of their own, once that applies. */
  onSaved?(files: readonly SavedFile[]): void
  /** Called with the problems of files that could not be used, and with errors of `onReload`. */
  onError?(error: unknown): void
}

/** How soon files are read again while git works in a folder. */
const LATER_MS = 250

/**
 * Loads the configuration (throws if it is invalid) and watches its files from then on.
 *
 * @example
 * ```ts
 * const watcher = watchConfig({}, { onReload: (next) => console.error(next.servers.size) })
 * console.error(watcher.current.servers.size)
 * ```
 */
export function watchConfig(options: LoadOptions, listeners: WatchListeners): ConfigWatcher {
  const { cwd = process.cwd(), env = process.env, flags = {} } = options
  const place: Workspace = { cwd, env }
  const { stored } = options
  const kinds = options.only ? (['settings'] as const) : FILE_KINDS
  const filesOf = (kind: FileKind) =>
    stored ? (explicitPath(kind, place, flags[kind]) ?? []) : candidates(kind, place, flags[kind])
  const files = kinds.flatMap(filesOf)
  const mcpFiles = options.only ? [] : [filesOf('mcp')].flat()
  const home = dataFolder(place)
  let queue: Promise<unknown> = Promise.resolve()
  let later: NodeJS.Timeout | undefined
  let closed = false

  async function apply(): Promise<Config> {
    const previous = reloader.current
    const { config, changed, problems, record } = reloader.reload()
    if (problems.length > 0) listeners.onError?.(new ConfigError(problems))
    watchNamed()
    if (changed) await listeners.onReload(config, previous)
    // Whether git or the person has changed the file can be told once git is done.
    clearTimeout(later)
    if (config.leftOut.some(({ change }) => change === 'changing'))
      later = setTimeout(noticed, LATER_MS).unref()
    listeners.onRecord?.(record)
    return config
  }

  async function reload(): Promise<Config> {
    const turn = queue.then(apply)
    queue = turn.catch(() => {})
    return turn
  }

  // Watching starts before the files are read, so that a change in between is noticed.
  const noticed = () => {
    if (!closed) reload().catch((error: unknown) => listeners.onError?.(error))
  }
  const watching = watchFiles([...files, trustListFile(place), ...secretFiles(home)], noticed)
  const forget = stored?.onChange(noticed)
  const reloader = start(options, () => watching.close())
  // A settings file may have moved the data folder.
  const moved = reloader.current.settings.home
  const watchingMoved = moved === home ? undefined : watchFiles(secretFiles(moved), noticed)
  let named: readonly string[] = []
  let watchingNamed: { close(): void } | undefined

  /** Watches the descriptions and files of variables that the servers files name now. */
  function watchNamed(): void {
    const paths = mcpFiles.flatMap((file) => namedPathsIn(file, readIfFound(file) ?? '', place))
    if (closed || isDeepStrictEqual(paths, named)) return
    watchingNamed?.close()
    named = paths
    watchingNamed = paths.length > 0 ? watchFiles(paths, noticed) : undefined
  }
  watchNamed()

  return {
    get current() {
      return reloader.current
    },
    get status() {
      return reloader.status
    },
    get latestVersion() {
      return stored?.latest.version
    },
    get history() {
      return reloader.history
    },
    reload,
    close() {
      closed = true
      clearTimeout(later)
      forget?.()
      watching.close()
      watchingMoved?.close()
      watchingNamed?.close()
    },
  }
}

function start(options: LoadOptions, onFailure: () => void) {
  try {
    return createReloader(options)
  } catch (error) {
    onFailure()
    throw error
  }
}
