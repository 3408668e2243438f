import { hide } from '../../../base/secrets/secrets.ts'
import type { ApiHost, FinishedCall, RunningApi } from '../../kit/builtin-api.ts'
import { openCodeLogFile } from '../log/code-log-file.ts'
import { CodeLog, categoryOf } from '../log/code-log.ts'

/**
 * Opens the HTTP API of code search below `/api`, and redirects the page addresses of CocoSearch.
 * If served alone, code search also writes a log file and can be shut down over the API.
 */
export async function openCodeApi(host: ApiHost): Promise<RunningApi> {
  const { env, stop } = host
  const log = new CodeLog()
  const file = stop && (await openCodeLogFile(log, env, async (options) => host.openFile(options)))
  const unsubscribe = host.followCalls((call) => write(call, log))
  if (stop) log.add('system', 'code search is serving', { pid: process.pid })
  let starting: ReturnType<typeof startApi> | undefined

  return {
    async fetch(request, bindings) {
      if (isBelow('/dashboard', new URL(request.url)))
        return new Response(null, { status: 302, headers: { location: '/code' } })
      starting ??= startApi(host, log)
      return (await starting).fetch(request, bindings)
    },
    warn: (message) => log.add('infra', message, {}, { level: 'warning' }),
    async close() {
      unsubscribe()
      const api = await starting?.catch(() => undefined)
      api?.close()
      if (stop) log.add('system', 'code search ends')
      await file?.close()
    },
  }
}

/** Loads the API with the first request: a stdio server seldom gets one. */
async function startApi(host: ApiHost, log: CodeLog) {
  const { createCodeApi, explainedVisit } = await import('./create-code-api.ts')
  return createCodeApi({
    log,
    stop: host.stop,
    visit: async (request) => explainedVisit(request, host),
  })
}

function isBelow(prefix: string, { pathname }: URL): boolean {
  return pathname === prefix || pathname.startsWith(`${prefix}/`)
}

function write(call: FinishedCall, log: CodeLog): void {
  const { operation, tool = operation, agent, durationMs, outcome, error } = call
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
    { level: isOk ? 'info' : 'error', atMs: call.startedAt },
  )
}
