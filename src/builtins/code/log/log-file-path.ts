import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Environment } from '../../../base/environment.ts'

/** How long the file gets, and how many old ones stay. */
export const LOG_FILE_LIMITS = { maxBytes: 10 * 1024 * 1024, keep: 3 }

/** The file that the environment asks for; a project's file has no say in what is written where. */
export function logFilePath(env: Environment): string | undefined {
  const said = env['COCOSEARCH_LOG_FILE'] || env['COCOSEARCH_LOGGING_FILE']
  if (!said || /^(?:false|0)$/i.test(said)) return undefined
  const home = env['HOME'] || homedir()
  if (/^(?:true|1)$/i.test(said)) return join(home, '.cocosearch', 'logs', 'cocosearch.log')
  return resolve(said.replace(/^~(?=\/|$)/, home))
}
