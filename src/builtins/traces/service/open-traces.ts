import { join } from 'node:path'
import type { Embedder } from '../../../search/embed/embedder.ts'
import { GroupCommit } from '../../../storage/sql/group-commit.ts'
import type { Storage } from '../../../storage/storage.ts'
import { insertTraces } from '../../../storage/traces/trace-rows.ts'
import type { RateLimits } from '../../kit/define-builtin.ts'
import type { Deps } from './deps.ts'
import type { ReportFault } from './problem.ts'
import { RateLimiter } from './rate-limiter.ts'
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
  readonly onContributed?: Deps['onContributed']
  /** Called after new traces were embedded. */
  readonly onEmbedded?: (count: number, seconds: number) => void
  /** Whether to embed new traces in the background; several processes take turns. */
  readonly background?: boolean
  readonly now?: () => number
  readonly onFault?: ReportFault
}

export interface Traces {
  readonly deps: Deps
  /** Embeds new traces; returns how many were embedded. */
  embed(): Promise<number>
  close(): Promise<void>
}

const EMBED_EVERY_MS = 5_000

/** Opens traces on an open database, which the caller must close. */
export function openTraces(options: TracesOptions): Traces {
  const { storage, embedder, home, modelProblem, onContributed, onFault = () => {} } = options
  const now = options.now ?? Date.now
  const semantic = embedder && new SemanticIndex(storage, embedder)
  const deps: Deps = {
    storage,
    now,
    settings: options.settings ?? parseTracesSettings(),
    index: new TraceIndex(
      storage,
      home === undefined ? undefined : { path: indexPath(home, storage) },
    ),
    semantic,
    modelProblem,
    limiter: options.limiter ?? new RateLimiter(now),
    writes: new GroupCommit(async (traces) =>
      storage.transaction(async (tx) => insertTraces(tx, traces)),
    ),
    searches: new SearchLog(storage, { now, onFault: (error) => onFault(error, 'search log') }),
    onContributed,
    onFault,
  }
  async function embed(): Promise<number> {
    const started = performance.now()
    const count = (await semantic?.embedMissing()) ?? 0
    if (count > 0) options.onEmbedded?.(count, (performance.now() - started) / 1000)
    return count
  }
  let embedding: Promise<unknown> | undefined
  // A slow embedder is not asked for the same traces again.
  const embedInTurn = (): void => {
    embedding ??= embed()
      .catch((error: unknown) => onFault(error, 'background'))
      .finally(() => (embedding = undefined))
  }
  const timer =
    options.background && semantic ? setInterval(embedInTurn, EMBED_EVERY_MS).unref() : undefined
  // Loads the index in advance for the first search.
  deps.index.sync().catch(() => {})
  return {
    deps,
    embed,
    async close() {
      clearInterval(timer)
      await deps.searches.flush()
      await deps.index.close()
      await semantic?.close()
    },
  }
}

function indexPath(home: string, { identity }: Storage): string {
  return join(home, 'indexes', `traces-${identity}.idx`)
}
