import { once } from 'node:events'
import { closeSync, writeSync } from 'node:fs'
import { createPages } from '../../app/pages.ts'
import { messageOf } from '../../base/errors.ts'
import { isObject } from '../../base/json/json.ts'
import { dataFolder } from '../../config/paths.ts'
import type { LocalGateway } from '../../local/listen.ts'
import { rotateLog } from '../../local/log-file.ts'
import { openRunFolder } from '../../local/run-folder.ts'
import { serveLocally } from '../../local/serve-locally.ts'
import { READY, REPORT_FD } from '../../local/start-in-background.ts'
import { createLog } from '../../telemetry/log.ts'
import { openFolders } from '../shared/open-app.ts'
import { untilStopped } from '../shared/serve/until-stopped.ts'
import { stayAlive } from './serve-flags.ts'

/**
 * Serves the clients of this person until none has been there for a while. A bridge starts it, holds
 * the lock of the run folder meanwhile, and waits for its report.
 */
export async function serveInBackground(): Promise<void> {
  const { env } = process
  const home = dataFolder({ cwd: process.cwd(), env })
  rotateLog(home)
  const log = createLog()
  const ending = new AbortController()
  const end = (why: string) => ending.abort(why)
  const asked = once(ending.signal, 'abort').then(() => String(ending.signal.reason))
  try {
    const run = openRunFolder(home, env)
    // The person's own files apply to the process; in the data folder, they would be a project's.
    const folders = await openFolders({ cwd: run.path, env }, log)
    const idle = createIdleTimer(() => folders.main.config.settings.shared.idleMs, end)
    const pages = createPages(folders.main)
    let leaving: Promise<void> | undefined
    const gateway: LocalGateway = await serveLocally({
      folders,
      kind: 'background',
      run,
      env,
      answers: {
        async leave({ why }) {
          // Nobody finds this gateway any more once this is answered.
          leaving = gateway.leave(String(why))
          end(String(why))
          return {}
        },
        dashboard: async () => ({ url: await pages.open() }),
        pages: async ({ method, path, body }) =>
          pages.ask(String(method), String(path), isObject(body) ? body : {}),
      },
      onEmpty: () => idle.start(),
      onJoin: () => idle.stop(),
      onReplaced: () => end('another gateway has taken its place'),
    })
    idle.start()
    log.info(`the gateway listens on ${run.socket}`)
    report(READY)
    await stayAlive(folders.main, {})
    const signalled = untilStopped(async () => folders.reload())
    const why = await Promise.race([asked, signalled.then(() => 'the gateway was stopped')])
    log.info(`the gateway ends: ${why}`)
    await (leaving ?? gateway.leave(why))
    await pages.close()
    await folders.close()
    process.exit(0)
  } catch (error) {
    const text = messageOf(error)
    log.error(text)
    report(text)
    process.exit(1)
  }
}

function createIdleTimer(idleMs: () => number, end: (why: string) => void) {
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      clearTimeout(timer)
      timer = setTimeout(() => end('no client has been there for a while'), idleMs())
    },
    stop: () => clearTimeout(timer),
  }
}

/** Tells the bridge that started this process. */
function report(text: string): void {
  try {
    writeSync(REPORT_FD, text)
    closeSync(REPORT_FD)
  } catch {
    // It has gone: another bridge finds the socket.
  }
}
