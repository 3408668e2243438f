import type { CallEvent } from '../gateway/call.ts'
import { type CodeLog, categoryOf } from '../builtins/code/log/code-log.ts'
import { hide } from '../base/secrets.ts'
import type { App } from './app.ts'

/** Writes a line for every call of code search, the last ones first; returns the way to stop. */
export function followCalls(app: Pick<App, 'feed' | 'config'>, log: CodeLog): () => void {
  const note = (event: Readonly<CallEvent>): void => {
    const server = event.server === undefined ? undefined : app.config.servers.get(event.server)
    if (server?.kind === 'builtin' && server.builtin === 'code') write(event, log)
  }
  for (const event of app.feed.recent()) note(event)
  return app.feed.listen(note)
}

function write(event: Readonly<CallEvent>, log: CodeLog): void {
  const { operation, tool = operation, agent, durationMs, outcome, error } = event
  const isOk = outcome === 'ok'
  log.add(
    categoryOf(tool),
    isOk ? tool : `${tool} failed`,
    {
      ...(agent !== undefined && { agent }),
      ...(durationMs !== undefined && { duration_ms: Math.round(10 * durationMs) / 10 }),
      ...(!isOk && { outcome }),
      ...(error !== undefined && { error: hide(error) }),
    },
    { level: isOk ? 'info' : 'error', atMs: event.startedAt },
  )
}
