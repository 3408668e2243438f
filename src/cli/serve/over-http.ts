import { once } from 'node:events'
import type { Folders } from '../../app/folders.ts'
import type { TapeRun } from '../../app/tapes/tape-run.ts'
import { messageOf } from '../../base/errors.ts'
import { isLoopback } from '../../base/net/net.ts'
import { notesOnVariables } from '../../config/settings/former-names.ts'
import { type Config, loadParts } from '../../config/load.ts'
import { dataFolder } from '../../config/paths.ts'
import { askGateway } from '../../local/connect.ts'
import { inTurn } from '../../local/join.ts'
import type { LocalGateway } from '../../local/listen.ts'
import { type RunFolder, openRunFolder } from '../../local/run-folder.ts'
import { type Log, createLog } from '../../telemetry/log.ts'
import { openFolders } from '../shared/open-app.ts'
import { untilStopped } from '../shared/serve/until-stopped.ts'
import { type ServeFlags, mustHave, reportTape, stayAlive } from './serve-flags.ts'
import { toLoad } from './to-load.ts'
import { whyAlone } from './why-alone.ts'

/** Serves over HTTP, and the clients of this person that join over stdio. */
export async function overHttp(given: ServeFlags, tape?: TapeRun): Promise<void> {
  const log = createLog({
    level: given.debug ? 'debug' : 'info',
    ...(given.logFormat && { format: given.logFormat }),
  })
  const run = runFolderFor(given, log)
  const flags = await withFreePort(given, run)
  const load = toLoad(flags)
  if (process.stdin.isTTY) await (await import('../trust/ask-trust.ts')).askForTrust(load)
  const folders = await openFolders(load, log, tape)
  const app = folders.main
  const [{ serveHttp }, { httpOrigin }] = await Promise.all([
    import('../../app/serve.ts'),
    import('../../base/net/net.ts'),
  ])
  const { surface, toolset } = flags
  const server = await mustHave(app, toolset)
    .then(async () => serveHttp(app, { surface, toolset }))
    .catch(async (error: unknown) => {
      await folders.close()
      throw error
    })
  const { host, path, publicUrl } = app.config.settings.listen
  const url = httpOrigin(host, server.port)
  const reached = publicUrl === undefined ? url : new URL(publicUrl).href.replace(/\/$/, '')
  const ending = new AbortController()
  // Installed before the address is printed, so that an early signal does not end the process.
  const stopped = untilStopped(async () => folders.reload())
  process.stderr.write(
    `portolan listening on ${url}\n` +
      `Dashboard:         ${reached}/  (portolan dashboard opens it signed in)\n` +
      `Connect a client:  claude mcp add --transport http portolan ${reached}${path}\n` +
      `or in its JSON:    {"mcpServers": {"portolan": {"type": "http", "url": "${reached}${path}"}}}\n` +
      notesOnOwnServers(app.config),
  )
  for (const line of notesOnVariables(process.env)) process.stderr.write(`${line}\n`)
  await stayAlive(app, flags)
  app.warm()
  const local = run && (await takeClients(folders, { run, log, stop: () => ending.abort() }))
  await Promise.race([stopped, once(ending.signal, 'abort')])
  await local?.leave('the gateway has been stopped')
  await folders.leave(server)
  process.exit(reportTape(tape))
}

/** Whoever serves others from their own data folder serves their own servers as well. */
function notesOnOwnServers({ files, settings, servers }: Config): string {
  const { host, publicUrl } = settings.listen
  const own = files.mcp.find(({ level }) => level === 'user')?.path
  if (own === undefined || servers.size === 0 || process.env['PORTOLAN_HOME']) return ''
  if (isLoopback(host) && publicUrl === undefined) return ''
  return `Your own servers (${own}) are served to everybody who may connect. A data folder of its own, PORTOLAN_HOME, leaves them out.\n`
}

/** Returns where the clients of this person join; undefined if this gateway keeps to itself. */
function runFolderFor(flags: ServeFlags, log: Log): RunFolder | undefined {
  const { env } = process
  const place = { cwd: process.cwd(), env }
  try {
    const { settings } = loadParts(toLoad(flags))
    if (whyAlone(flags, place, settings.value) !== undefined) return undefined
    return openRunFolder(dataFolder(place), env)
  } catch (error) {
    log.warn(`clients over stdio cannot join this gateway: ${messageOf(error)}`)
    return undefined
  }
}

/** Gives a second gateway another port, as the first one has that of the settings. */
async function withFreePort(flags: ServeFlags, run: RunFolder | undefined): Promise<ServeFlags> {
  const other = run && (await askGateway(run, 'status').catch(() => undefined))
  if (!other || other.kind !== 'serve' || flags.port !== undefined) return flags
  const url = String(other.answer['dashboardUrl'])
  const { port } = loadParts(toLoad(flags)).settings.value?.listen ?? {}
  if (!URL.canParse(url) || new URL(url).port !== String(port)) return flags
  process.stderr.write(
    `A gateway of yours (process ${other.pid}) listens on ${url}; this one takes another port.\n`,
  )
  return { ...flags, port: 0 }
}

interface TakeOptions {
  readonly run: RunFolder
  readonly log: Log
  readonly stop: () => void
}

/** Takes over the clients of a gateway in the background; leaves those of another `serve` alone. */
async function takeClients(
  folders: Folders,
  { run, log, stop }: TakeOptions,
): Promise<LocalGateway | undefined> {
  const { serveLocally } = await import('../../local/serve-locally.ts')
  try {
    return await inTurn(run, async () => {
      const other = await askGateway(run, 'ping')
      if (other?.kind === 'serve') {
        log.info(`clients over stdio stay with the gateway of process ${other.pid}`)
        return undefined
      }
      if (other) await askGateway(run, 'leave', { why: '`portolan serve` takes its place' })
      return serveLocally({
        folders,
        kind: 'serve',
        run,
        env: process.env,
        answers: {
          async leave() {
            stop()
            return {}
          },
          dashboard: async () => ({ url: folders.main.dashboardUrl ?? null }),
        },
        onEmpty: () => undefined,
        onReplaced: () => log.warn('another gateway serves the clients over stdio now'),
      })
    })
  } catch (error) {
    log.warn(`clients over stdio cannot join this gateway: ${messageOf(error)}`)
    return undefined
  }
}
