import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { findProject } from '../project/find-project.ts'
import { configOf } from '../tools/find-index.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** How long the file gets, and how many old ones stay. */
export const LOG_FILE_LIMITS = { maxBytes: 10 * 1024 * 1024, keep: 3 }

/** The file that `COCOSEARCH_LOG_FILE`, or `logging.file` of the project in this folder, asks for. */
export async function logFilePath(env: Environment, folder: string): Promise<string | undefined> {
  const said = await wanted(env, folder)
  if (said === false || said === '') return undefined
  const home = env['HOME'] || homedir()
  if (said === true) return join(home, '.cocosearch', 'logs', 'cocosearch.log')
  return resolve(said.replace(/^~(?=\/|$)/, home))
}

async function wanted(env: Environment, folder: string): Promise<boolean | string> {
  const said = env['COCOSEARCH_LOG_FILE']
  if (said) return /^(?:true|1)$/i.test(said) || (!/^(?:false|0)$/i.test(said) && said)
  try {
    return (await configOf(findProject(folder), { env: { ...env } })).logging.file
  } catch {
    // Settings that cannot be used are told by whatever uses them.
    return false
  }
}
