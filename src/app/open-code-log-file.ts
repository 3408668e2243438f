import type { CodeLog } from '../builtins/code/log/code-log.ts'
import { LOG_FILE_LIMITS, logFilePath } from '../builtins/code/log/log-file-path.ts'
import { createRotatingFile } from '../telemetry/rotating-file.ts'

export interface CodeLogFile {
  /** Writes what is left. */
  close(): Promise<void>
}

/** Writes every line of the log from now on, where a file is asked for. */
export async function openCodeLogFile(
  log: CodeLog,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CodeLogFile | undefined> {
  const path = logFilePath(env)
  if (path === undefined) return undefined
  const file = createRotatingFile({ path, ...LOG_FILE_LIMITS })
  let writing = Promise.resolve()
  const deaf = log.listen((entry) => {
    const line = `${JSON.stringify(entry)}\n`
    // A disk that is full must not stop a search.
    writing = writing.then(async () => file.append(line)).catch(() => undefined)
  })
  return {
    async close() {
      deaf()
      await writing
      await file.close()
    },
  }
}
