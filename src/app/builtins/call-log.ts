import type { Environment } from '../../base/environment.ts'
import type { Builtin } from '../../builtins/kit/define-builtin.ts'
import type { Feed } from '../../telemetry/feed.ts'

/** Writes a line for every call of a built-in that runs by itself, if the environment asks for it. */
export async function logCalls(
  feed: Pick<Feed, 'listen'>,
  builtin: Builtin | undefined,
  env: Environment,
): Promise<{ close(): Promise<void> } | undefined> {
  const log = await builtin?.standalone?.log?.(env)
  if (!log) return undefined
  const { createRotatingFile } = await import('../../telemetry/audit/rotating-file.ts')
  const file = createRotatingFile(log)
  let writing = Promise.resolve()
  const unsubscribe = feed.listen((event) => {
    if (event.server === undefined) return
    const line = log.toLine(event)
    // A full disk must not stop a call.
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
