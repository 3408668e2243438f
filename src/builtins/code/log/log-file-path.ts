import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Environment } from '../../../base/environment.ts'

/** The maximum size of the log file, and how many old files are kept. */
export const LOG_FILE_LIMITS = { maxBytes: 10 * 1024 * 1024, keep: 3 }

/** Returns the log file that the environment names; a project's settings cannot choose it. */
export function logFilePath(env: Environment): string | undefined {
  const said = env['COCOSEARCH_LOG_FILE'] || env['COCOSEARCH_LOGGING_FILE']
  if (!said || /^(?:false|0)$/i.test(said)) return undefined
  const home = env['HOME'] || homedir()
  if (/^(?:true|1)$/i.test(said)) return join(home, '.cocosearch', 'logs', 'cocosearch.log')
  return resolve(said.replace(/^~(?=\/|$)/, home))
}
