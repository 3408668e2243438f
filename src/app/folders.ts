import { createHmac } from 'node:crypto'
import { realpathSync } from 'node:fs'
import type { Environment } from '../base/environment.ts'
import { INHERITED } from '../base/inherited.ts'
import { withTimeout } from '../base/flow/time.ts'
import { getOrMake } from '../base/maps.ts'
import type { Config, Flags } from '../config/load.ts'
import { changedPaths } from '../config/reload/describe-changes.ts'
import type { ConfigWatcher } from '../config/reload/watch.ts'
import { isOfProcess } from '../config/settings/read-at-start.ts'
import type { Front } from '../fronts/front.ts'
import { GatewayError } from '../gateway/errors.ts'
import { type App, type FolderOptions, openFolder } from './app.ts'
import { type Process, type ProcessOptions, createProcess } from './process.ts'

/** The folder of a client, and what decides how its configuration is read. */
export interface FolderRequest {
  readonly cwd: string
  /** The client's variables: those that the files refer to, and those that programs need to run. */
  readonly env: Environment
  readonly flags?: Flags | undefined
}

export interface FoldersOptions extends ProcessOptions {
  /** Where the gateway was started: the settings there apply to the process, and it stays open. */
  readonly main: FolderRequest
  readonly follow: (request: FolderRequest) => Omit<FolderOptions, 'cwd' | 'env'>
  /** How long a folder stays open without clients. */
  readonly idleMs?: number
}

/** A folder that is open for one client. */
export interface OpenedFolder {
  readonly app: App
  /** Gives the folder back; it closes after a while without clients. */
  release(): void
}

/** The folders that one process serves: one App for each, over what they share. */
export interface Folders {
  /** The folder in which the gateway was started; clients over HTTP work in it. */
  readonly main: App
  /**
   * Opens a folder for one client. Clients with the same folder, variables and flags share it. Throws
   * if the files there have mistakes, or settings that apply to a whole process and differ from ours.
   */
  open(request: FolderRequest): Promise<OpenedFolder>
  /** Reads the files of all open folders again. */
  reload(): Promise<void>
  /** Stops accepting calls, waits for those in flight, then closes the front and everything else. */
  leave(front: Front): Promise<void>
  close(): Promise<void>
}

interface FolderApp {
  readonly app: App
  clients: number
  closing?: NodeJS.Timeout | undefined
}

const SEAL_VARIABLES = ['PORTOLAN_SECRET_KEY', 'PORTOLAN_SECRET_KEY_PREVIOUS', 'PORTOLAN_KEYRING']

/** A client that starts again within this time finds its servers running. */
const IDLE_MS = 300_000

/**
 * Creates the gateway of several folders.
 *
 * @example
 * ```ts
 * const { app, release } = await folders.open({ cwd: '/home/ada/shop', env })
 * const front = serveStdio({ backend: app.backend, … })
 * await front.ended
 * release()
 * ```
 */
export function createFolders(options: FoldersOptions): Folders {
  const { follow, idleMs = IDLE_MS } = options
  const opened = new Map<string, FolderApp>()
  const main = toPlace(options.main)
  let running: Process | undefined
  /** The main folder, which is opened first, starts the process. */
  const start = (current: () => Config) => (running ??= createProcess(options, current))
  const mainApp = openFolder({ ...main, ...follow(main) }, { process: start })
  // Never released, so it never closes before the rest.
  opened.set(keyOf(main), { app: mainApp, clients: 1 })

  function openAt(key: string, place: FolderRequest): App {
    const { watch, ...rest } = follow(place)
    return openFolder(
      {
        ...place,
        ...rest,
        id: running && idOf(key, running),
        watch: (listeners) => withSameProcess(watch(listeners), mainApp.config.settings),
      },
      { process: start },
    )
  }

  /** What is stored is sealed with the key of this process, whatever variables a client has. */
  function withSealKeys({ env, ...place }: FolderRequest): FolderRequest {
    const own = main.env
    const keys = SEAL_VARIABLES.flatMap((name) =>
      own[name] === undefined ? [] : [[name, own[name]]],
    )
    return { ...place, env: { ...env, ...Object.fromEntries(keys) } }
  }

  function release(key: string, folder: FolderApp): void {
    if (--folder.clients > 0) return
    folder.closing = setTimeout(() => {
      opened.delete(key)
      folder.app.close().catch((error: unknown) => {
        options.log.warn('a folder did not close', { error: String(error) })
      })
    }, idleMs).unref()
  }

  async function close(): Promise<void> {
    for (const { closing } of opened.values()) clearTimeout(closing)
    opened.clear()
    await running?.close()
  }

  return {
    main: mainApp,
    async reload() {
      await Promise.all([...opened.values()].map(async ({ app }) => app.reload()))
    },
    async open(request) {
      // The data folder is that of this process, whatever the client calls it.
      const { home } = mainApp.config.settings
      const place = toPlace({ ...request, env: { ...request.env, PORTOLAN_HOME: home } })
      const key = keyOf(place)
      const folder = getOrMake(opened, key, () => ({
        app: openAt(key, withSealKeys(place)),
        clients: 0,
      }))
      clearTimeout(folder.closing)
      folder.clients++
      let isHeld = true
      return {
        app: folder.app,
        release() {
          if (isHeld) release(key, folder)
          isHeld = false
        },
      }
    },
    async leave(front) {
      await running?.drain.run(front, mainApp.config.settings.listen, options.log)
      await withTimeout(front.close().then(close), CLOSE_MS, () =>
        options.log.warn(
          'ended without waiting any longer for what did not close, such as a database that does not answer',
        ),
      )
    },
    close,
  }
}

function toPlace(request: FolderRequest): FolderRequest {
  return { ...request, cwd: realpathSync(request.cwd) }
}

/** How long the records of the last calls may take to be written, after the calls have ended. */
const CLOSE_MS = 10_000

/** Differ between the terminals of a person, and do not decide which programs and servers there are. */
const INCIDENTAL = new Set(INHERITED.filter((name) => name !== 'PATH' && name !== 'HOME'))

/** Clients with equal keys cannot tell each other's folder from their own. */
function keyOf({ cwd, env, flags = {} }: FolderRequest): string {
  const variables = Object.entries(env).filter(
    ([name, value]) => value !== undefined && !INCIDENTAL.has(name),
  )
  return JSON.stringify([cwd, flags, variables.toSorted(([a], [b]) => (a < b ? -1 : 1))])
}

/**
 * Returns the name under which what agents own in a folder is stored: after a restart the same for
 * the same folder and variables, whose values nobody can find out from it.
 */
function idOf(key: string, { state }: Process): string {
  return createHmac('sha256', state.secret()).update(key).digest('base64url').slice(0, 22)
}

/** Refuses a folder whose settings this process cannot apply to it alone. */
function withSameProcess(watcher: ConfigWatcher, ours: object): ConfigWatcher {
  const theirs = watcher.current.settings
  const different = changedPaths('', ours, theirs).filter(isOfProcess)
  if (different.length === 0) return watcher
  watcher.close()
  throw new GatewayError(
    'INVALID_PARAMS',
    `The running gateway has other settings than this folder: ${different.join(', ')}`,
    {
      hint: 'These settings apply to a whole gateway: set them alike, or serve this folder alone.',
    },
  )
}
