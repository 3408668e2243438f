import { type App, type FolderOptions, createApp } from '../../app/app.ts'
import { type Folders, createFolders } from '../../app/folders.ts'
import type { ProcessOptions } from '../../app/process.ts'
import { CallTally, openService } from '../../app/builtins/open-service.ts'
import { type ReplicaServices, openShared, storedConfig } from '../../app/shared.ts'
import type { TapeRun } from '../../app/tapes/tape-run.ts'
import { openTelemetry } from '../../app/telemetry.ts'
import { openToolMeanings } from '../../app/builtins/embedder.ts'
import { type LoadOptions, loadParts } from '../../config/load.ts'
import { dataFolder } from '../../config/paths.ts'
import { aloneGateways } from '../../local/alone.ts'
import type { StoredConfig } from '../../config/stored.ts'
import { followHandEdits } from '../../config/history/follow-hand-edits.ts'
import { type WatchListeners, watchConfig } from '../../config/reload/watch.ts'
import { describeLeftOut } from '../../config/trust/untrusted.ts'
import { type Log, createLog } from '../../telemetry/log.ts'

export interface LogFlags {
  readonly debug?: boolean
  readonly logFormat?: 'text' | 'json'
  /** For commands that print one answer and nothing else. */
  readonly level?: 'error'
}

export async function openApp(load: LoadOptions, flags: LogFlags): Promise<App> {
  // Only a person at a terminal can be asked, not a client on stdio.
  if (process.stdin.isTTY) await (await import('../trust/ask-trust.ts')).askForTrust(load)
  const log = createLog({
    level: flags.level ?? (flags.debug ? 'debug' : 'info'),
    ...(flags.logFormat && { format: flags.logFormat }),
  })
  const shared = await openShared(load.env ?? process.env, (problem) => log.warn(problem))
  try {
    const app = await startApp({ load, log, shared })
    // Such a command logs no warnings, so print why servers of these files seem not to exist.
    if (flags.level === 'error')
      for (const file of app.config.leftOut) process.stderr.write(`${describeLeftOut(file)}\n`)
    return app
  } catch (error) {
    // Open connections would keep the process alive.
    await shared.close()
    throw error
  }
}

/** Does the same as `portolan server enable` and `disable`; loads the modules only then. */
async function setEnabled({ cwd, env, flags }: LoadOptions, name: string, isEnabled: boolean) {
  const [{ enableServer }, { changeFiles }, { thisMachine }] = await Promise.all([
    import('../clients/servers-file.ts'),
    import('./files/change-files.ts'),
    import('../clients/machine.ts'),
  ])
  const machine = thisMachine()
  const place = { ...machine, cwd: cwd ?? machine.cwd, env: { ...(env ?? machine.env) } }
  const reason = `server ${isEnabled ? 'enable' : 'disable'} ${name}`
  return changeFiles(place, { reason, files: [flags?.mcp] }, () =>
    enableServer(name, isEnabled, { machine: place, mcp: flags?.mcp }),
  )
}

interface AppParts {
  readonly load: LoadOptions
  readonly log: Log
  readonly shared: ReplicaServices
}

async function startApp(parts: AppParts): Promise<App> {
  const { load, log } = parts
  const stored = await storedConfig(parts.shared, load.env ?? process.env)
  const tally = new CallTally()
  const app: App = createApp({
    ...(await processOptions(parts, { stored, tally, dashboardUrl: () => app.dashboardUrl })),
    ...folderOptions(load, stored),
  })
  tally.follow(app.feed)
  outliveErrors(log)
  return app
}

/** Opens a gateway that serves many folders; `load` is the one it was started in. */
export async function openFolders(load: LoadOptions, log: Log, tape?: TapeRun): Promise<Folders> {
  const { cwd = process.cwd(), env = process.env, flags } = load
  const shared = await openShared(env, (problem) => log.warn(problem))
  try {
    const stored = await storedConfig(shared, env)
    const tally = new CallTally()
    const folders: Folders = createFolders({
      ...(await processOptions(
        { load, log, shared },
        { stored, tally, dashboardUrl: () => folders.main.dashboardUrl },
      )),
      tape,
      main: { cwd, env, flags },
      follow: (request) => {
        // The servers of a tape are those of its files, wherever its clients work.
        if (!tape) return folderOptions(request, stored)
        const { watch, ...options } = folderOptions({ ...request, flags }, stored)
        return { ...options, watch: tape.follow(watch) }
      },
    })
    tally.follow(folders.main.feed)
    outliveErrors(log)
    return folders
  } catch (error) {
    await shared.close()
    throw error
  }
}

interface ProcessParts {
  readonly stored: StoredConfig | undefined
  readonly tally: CallTally
  readonly dashboardUrl: () => string | undefined
}

async function processOptions(
  { load, log, shared }: AppParts,
  { stored, tally, dashboardUrl }: ProcessParts,
): Promise<ProcessOptions> {
  const env = load.env ?? process.env
  // The app reports an invalid file, together with the problems of the other files.
  const { value: settings } = loadParts({ ...load, stored }).settings
  return {
    log,
    shared,
    env,
    telemetry: settings && (await openTelemetry(settings, env, log)),
    meanings: (current) => openToolMeanings(current, env, log),
    openService: async (server, current, place) =>
      openService(server, current, {
        ...place,
        tally,
        storage: shared.storage,
        redis: shared.redis?.client,
        dashboardUrl,
        warn: (problem) => log.warn(problem),
      }),
  }
}

function folderOptions(load: LoadOptions, stored: StoredConfig | undefined): FolderOptions {
  return {
    ...load,
    isInFiles: !stored,
    alone: () => {
      const env = load.env ?? process.env
      const cwd = load.cwd ?? process.cwd()
      return aloneGateways(dataFolder({ env, cwd }), env)
    },
    watch: (listeners) =>
      watchConfig({ ...load, stored }, stored ? listeners : withHistory(load, listeners)),
    ...(!stored && { setEnabled: async (name, isEnabled) => setEnabled(load, name, isEnabled) }),
  }
}

/** Makes a version of what people change by hand; its modules are loaded with the first change. */
function withHistory(load: LoadOptions, listeners: WatchListeners): WatchListeners {
  const { cwd = process.cwd(), env = process.env, flags = {} } = load
  const named = [flags.mcp, flags.rules, flags.settings].filter((file) => file !== undefined)
  const follow = followHandEdits({ cwd, env }, named)
  const look = () => {
    follow()
      .then((saved) => listeners.onSaved?.(saved))
      .catch((error: unknown) => listeners.onError?.(error))
  }
  look()
  return {
    ...listeners,
    onRecord(record) {
      listeners.onRecord?.(record)
      look()
    },
  }
}

/** A bug in one call must not end the calls of others. */
function outliveErrors(log: Log): void {
  process.on('unhandledRejection', (error) => {
    log.error('unexpected', { error: error instanceof Error ? error.stack : String(error) })
  })
}
