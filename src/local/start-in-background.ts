import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import type { Environment } from '../base/environment.ts'
import { messageOf } from '../base/errors.ts'
import { moduleFile } from '../base/files/package-files.ts'
import { withTimeout } from '../base/flow/time.ts'
import { inheritedFrom, variablesFrom } from '../base/inherited.ts'
import { logFileOf, openLogFile } from './log-file.ts'
import { NotShared } from './not-shared.ts'
import { processVariables } from './process-variables.ts'

/** The command, which only Portolan itself runs. */
export const BACKGROUND_COMMAND = 'background-gateway'
/** What it reports once it listens; anything else is the reason why it cannot. */
export const READY = 'ready'
/** The descriptor on which it reports. */
export const REPORT_FD = 3

const START_MS = 20_000
/** Of the client that starts it; others may join with other values. */
const OF_STARTER = ['ELECTRON_RUN_AS_NODE', 'PORTOLAN_SHARED_IDLE_MS']

/**
 * Starts a gateway that outlives this process, and waits until it listens. It has none of the
 * variables that are only this client's.
 */
export async function startInBackground(home: string, env: Environment): Promise<void> {
  const log = openLogFile(home)
  try {
    const child = spawn(
      process.execPath,
      [...process.execArgv, moduleFile('cli/main'), BACKGROUND_COMMAND],
      {
        cwd: home,
        env: {
          ...inheritedFrom(env),
          ...variablesFrom(env, OF_STARTER),
          ...processVariables(env),
          PORTOLAN_HOME: home,
        },
        stdio: ['ignore', log, log, 'pipe'],
        detached: true,
        windowsHide: true,
      },
    )
    const failed = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(messageOf(error)))
    })
    const pipe = child.stdio[REPORT_FD]
    if (!(pipe instanceof Readable)) throw new Error('The child has no pipe for its report')
    const report = await withTimeout(
      Promise.race([text(pipe), failed]),
      START_MS,
      () => 'it did not listen in time',
    )
    pipe.destroy()
    child.unref()
    if (report !== READY)
      throw new NotShared(
        `no gateway could be started in the background: ${report || `its log is ${logFileOf(home)}`}`,
      )
  } finally {
    closeSync(log)
  }
}
