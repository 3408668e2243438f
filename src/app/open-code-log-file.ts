import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { configOf } from '../servers/code/tools/find-index.ts'
import { findProject } from '../servers/code/project/find-project.ts'
import type { CodeLog, LogEntry } from '../servers/code/log/code-log.ts'
import { createRotatingFile } from '../telemetry/rotating-file.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface CodeLogFile {
  readonly path: string
  write(entry: LogEntry): void
  /** Writes what is left. */
  close(): Promise<void>
}

const MAX_BYTES = 10 * 1024 * 1024
const KEEP = 3

/** The file that `COCOSEARCH_LOG_FILE`, or `logging.file` of the project in this folder, asks for. */
export async function openCodeLogFile(
  env: Environment,
  folder: string,
): Promise<CodeLogFile | undefined> {
  const path = pathFrom(await wanted(env, folder), env)
  if (path === undefined) return undefined
  const file = createRotatingFile({ path, maxBytes: MAX_BYTES, keep: KEEP })
  let writing: Promise<unknown> = Promise.resolve()
  return {
    path,
    write(entry) {
      // A disk that is full must not stop a search.
      writing = writing
        .then(async () => file.append(`${JSON.stringify(entry)}\n`))
        .catch(() => undefined)
    },
    async close() {
      await writing
      await file.close()
    },
  }
}

/** Writes every line of the log from now on. */
export function followLog(log: CodeLog, file: CodeLogFile): () => void {
  return log.listen((entry) => file.write(entry))
}

async function wanted(env: Environment, folder: string): Promise<boolean | string> {
  const said = env['COCOSEARCH_LOG_FILE']
  if (said) return /^(?:true|1)$/i.test(said) ? true : /^(?:false|0)$/i.test(said) ? false : said
  try {
    const { logging } = await configOf(findProject(folder), { env: { ...env } })
    return logging.file
  } catch {
    // Settings that cannot be used are told by whatever uses them.
    return false
  }
}

function pathFrom(said: boolean | string, env: Environment): string | undefined {
  if (said === false || said === '') return undefined
  const home = env['HOME'] || homedir()
  if (said === true) return join(home, '.cocosearch', 'logs', 'cocosearch.log')
  return resolve(said.replace(/^~(?=\/|$)/, home))
}
