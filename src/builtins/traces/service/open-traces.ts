import { join } from 'node:path'
import type { Embedder } from '../../../search/embed/embedder.ts'
import { GroupCommit } from '../../../storage/sql/group-commit.ts'
import { openJobs } from '../../../jobs/open-jobs.ts'
import type { Storage } from '../../../storage/storage.ts'
import { insertTraces } from '../../../storage/traces/trace-rows.ts'
import type { RateLimits } from '../../kit/define-builtin.ts'
import { BackgroundWork } from './background-work.ts'
import { type ConsolidationStats, consolidate } from './consolidation/consolidate.ts'
import { scheduleConsolidation } from './consolidation/schedule-consolidation.ts'
import { createTracesApp } from './create-traces-app.ts'
import type { Deps } from './deps.ts'
import { Metrics } from './http/metrics.ts'
import { RateLimiter } from './http/rate-limiter.ts'
import type { ReportFault } from './http/to-problem.ts'
import type { TracesApp } from './http/traces-env.ts'
import { type SendMail, logMail, relayMails } from './mailer.ts'
import { PypiRegistry } from './package-registry.ts'
import { SearchLog } from './search/search-log.ts'
import { SemanticIndex } from './search/semantic-index.ts'
import { TraceIndex } from './search/trace-index.ts'
import { type TracesSettings, parseTracesSettings } from './settings.ts'

export interface TracesOptions {
  readonly storage: Storage
  /** The folder to keep the search index in; without it, the index is rebuilt at every start. */
  readonly home?: string | undefined
  readonly settings?: TracesSettings
  readonly embedder?: Embedder | undefined
  /** Why there is no embedder although one is wanted. */
  readonly modelProblem?: string | undefined
  /** Shared between processes that serve one team; local to this process when absent. */
  readonly limiter?: RateLimits | undefined
  readonly sendMail?: SendMail | undefined
  /** Whether to age, link and embed traces in the background; several processes take turns. */
  readonly background?: boolean
  readonly now?: () => number
  readonly log?: (line: string) => void
  readonly onFault?: ReportFault
}

export interface Traces {
  readonly app: TracesApp
  readonly deps: Deps
  /** Calls the API without a socket. */
  readonly fetch: (request: Request) => Promise<Response>
  consolidate(): Promise<ConsolidationStats | undefined>
  /** Embeds new traces; returns how many were embedded. */
  embed(): Promise<number>
  close(): Promise<void>
}

const EMBED_EVERY_MS = 5_000

/** Opens the whole service on an open database, which the caller must close. */
export function openTraces(options: TracesOptions): Traces {
  const { storage, embedder, home, onFault = () => {} } = options
  const now = options.now ?? Date.now
  const settings = options.settings ?? parseTracesSettings()
  const deps: Deps = {
    storage,
    now,
    settings,
    index: new TraceIndex(
      storage,
      home === undefined ? undefined : { path: indexPath(home, storage) },
    ),
    semantic: embedder && new SemanticIndex(storage, embedder),
    modelProblem: options.modelProblem,
    limiter: options.limiter ?? new RateLimiter(now),
    writes: new GroupCommit(async (traces) =>
      storage.transaction(async (tx) => insertTraces(tx, traces)),
    ),
    searches: new SearchLog(storage, { now, onFault: (error) => onFault(error, 'search log') }),
    background: new BackgroundWork(),
    metrics: new Metrics(),
    registry:
      settings.registryUrl === undefined ? undefined : new PypiRegistry(settings.registryUrl),
    sendMail:
      options.sendMail ??
      (settings.mailRelayUrl === undefined ? logMail : relayMails(settings.mailRelayUrl)),
    log: options.log ?? console.error,
    onFault,
  }
  const app = createTracesApp(deps)
  const stop = options.background ? startWork(deps, onFault) : async () => {}
  // Loads the index in advance for the first search.
  deps.index.sync().catch(() => {})
  return {
    app,
    deps,
    fetch: async (request) => app.fetch(request),
    consolidate: async () => consolidate(deps),
    embed: async () => embedMissing(deps),
    async close() {
      await stop()
      await deps.background.settle()
      await deps.searches.flush()
      await deps.index.close()
      await deps.semantic?.close()
    },
  }
}

function startWork(deps: Deps, onFault: ReportFault): () => Promise<void> {
  const report = (error: unknown): void => onFault(error, 'background')
  const stopConsolidation = scheduleConsolidation(
    async () => openJobs(deps.storage, { onFault: report }),
    { run: async () => consolidate(deps), onFault: report },
  )
  let embedding: Promise<unknown> | undefined
  // A slow embedder is not asked for the same traces again.
  const embed = (): void => {
    embedding ??= embedMissing(deps)
      .catch(report)
      .finally(() => (embedding = undefined))
  }
  const timer = deps.semantic && setInterval(embed, EMBED_EVERY_MS).unref()
  return async () => {
    clearInterval(timer)
    await stopConsolidation()
  }
}

async function embedMissing({ semantic, metrics }: Deps): Promise<number> {
  if (!semantic) return 0
  const started = performance.now()
  const count = await semantic.embedMissing()
  if (count === 0) return 0
  metrics.count('commontrace_embeddings_processed_total', {}, count)
  metrics.time('commontrace_embedding_duration_seconds', {}, (performance.now() - started) / 1000)
  return count
}

function indexPath(home: string, { identity }: Storage): string {
  return join(home, 'indexes', `traces-${identity}.idx`)
}
