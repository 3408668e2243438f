import { openJobs } from '../../../jobs/open-jobs.ts'
import { METRICS } from '../common-trace-names.ts'
import { type Traces, type TracesOptions, openTraces } from '../service/open-traces.ts'
import { parseTracesSettings } from '../service/settings.ts'
import { checkStaleness } from './check-staleness.ts'
import { type ConsolidationStats, consolidate } from './consolidation/consolidate.ts'
import { scheduleConsolidation } from './consolidation/schedule-consolidation.ts'
import { createTracesApp } from './create-traces-app.ts'
import type { CommunityDeps } from './deps.ts'
import { Metrics } from './http/metrics.ts'
import type { TracesApp } from './http/traces-env.ts'
import { type SendMail, logMail, relayMails } from './mailer.ts'
import { PypiRegistry } from './package-registry.ts'

export interface CommunityOptions extends TracesOptions {
  readonly sendMail?: SendMail | undefined
  readonly log?: (line: string) => void
}

/** Traces that people and agents share over a REST API. */
export interface Community extends Traces {
  readonly deps: CommunityDeps
  readonly app: TracesApp
  /** Calls the API without a socket. */
  readonly fetch: (request: Request) => Promise<Response>
  consolidate(): Promise<ConsolidationStats | undefined>
  /** Waits for the checks of new traces that no caller waits for. */
  settle(): Promise<void>
}

/** Opens the whole service on an open database, which the caller must close. */
export function openCommunity(options: CommunityOptions): Community {
  const { settings = parseTracesSettings(), onFault = () => {}, log = console.error } = options
  const metrics = new Metrics()
  const registry =
    settings.packageRegistryUrl === undefined
      ? undefined
      : new PypiRegistry(settings.packageRegistryUrl)
  const checks = new Set<Promise<void>>()
  const traces = openTraces({
    ...options,
    settings,
    ...(registry && {
      onContributed(trace) {
        const check = checkStaleness(deps, trace).finally(() => checks.delete(check))
        checks.add(check)
      },
    }),
    onEmbedded(count, seconds) {
      metrics.count(`${METRICS}_embeddings_processed_total`, {}, count)
      metrics.time(`${METRICS}_embedding_duration_seconds`, {}, seconds)
    },
  })
  const deps: CommunityDeps = {
    ...traces.deps,
    metrics,
    registry,
    sendMail:
      options.sendMail ??
      (settings.mailRelayUrl === undefined ? logMail : relayMails(settings.mailRelayUrl)),
    log,
  }
  const app = createTracesApp(deps)
  const report = (error: unknown): void => onFault(error, 'background')
  const stop = options.background
    ? scheduleConsolidation(async () => openJobs(deps.storage, { onFault: report }), {
        run: async () => consolidate(deps),
        onFault: report,
      })
    : async () => {}
  const settle = async () => void (await Promise.all(checks))
  return {
    ...traces,
    deps,
    app,
    fetch: async (request) => app.fetch(request),
    consolidate: async () => consolidate(deps),
    settle,
    async close() {
      await stop()
      await settle()
      await traces.close()
    },
  }
}
