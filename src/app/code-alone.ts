import { EventEmitter, once } from 'node:events'
import { CodeLog } from '../builtins/code/log/code-log.ts'
import type { App } from './app.ts'
import { followCalls } from './follow-calls.ts'
import type { CodeAlone } from './open-code-api.ts'
import { openCodeLogFile } from './open-code-log-file.ts'

/** What code search has beside its tools when it serves by itself: a log, and a way to be ended. */
export interface RunningCodeAlone extends CodeAlone {
  /** Resolves when the API was asked to end the process. */
  readonly stopped: Promise<void>
  close(): Promise<void>
}

export async function openCodeAlone(
  app: App,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunningCodeAlone> {
  const log = new CodeLog()
  const file = await openCodeLogFile(log, env)
  followCalls(app, log)
  log.add('system', 'code search is serving', { pid: process.pid })
  const stopping = new EventEmitter()
  return {
    log,
    stop: () => void stopping.emit('stop'),
    stopped: once(stopping, 'stop').then(() => undefined),
    async close() {
      log.add('system', 'code search ends')
      await file?.close()
    },
  }
}
