import type { Environment } from '../../../base/environment.ts'
import type { ApiHost } from '../../kit/builtin-api.ts'
import type { CodeLog } from './code-log.ts'
import { LOG_FILE_LIMITS, logFilePath } from './log-file-path.ts'

export interface CodeLogFile {
  /** Writes the remaining lines. */
  close(): Promise<void>
}

/** Writes every new line of the log to a file, if the environment names one. */
export async function openCodeLogFile(
  log: CodeLog,
  env: Environment,
  openFile: ApiHost['openFile'],
): Promise<CodeLogFile | undefined> {
  const path = logFilePath(env)
  if (path === undefined) return undefined
  const file = await openFile({ path, ...LOG_FILE_LIMITS })
  let writing = Promise.resolve()
  const unsubscribe = log.listen((entry) => {
    const line = `${JSON.stringify(entry)}\n`
    // A full disk must not stop a search.
    writing = writing.then(async () => file.append(line)).catch(() => undefined)
  })
  return {
    async close() {
      unsubscribe()
      await writing
      await file.close()
    },
  }
}
