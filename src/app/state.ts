import { join } from 'node:path'
import { getOrMake } from '../base/maps.ts'
import type { Config } from '../config/load.ts'
import { createSessionIds } from '../fronts/session-ids.ts'
import { Circuits } from '../gateway/layers/breaker.ts'
import {
  type RateLimits,
  type RateLimitOptions,
  createRateLimits,
} from '../gateway/state/rate-limits.ts'
import { ResultCache } from '../gateway/state/result-cache.ts'
import type { Results } from '../gateway/state/results.ts'
import { GatewayState } from '../gateway/state.ts'
import { createTaskIds } from '../gateway/tasks/task-ids.ts'
import { Tasks } from '../gateway/tasks/tasks.ts'
import { createHandles } from '../identity/handles.ts'
import { createLocalPasses } from '../identity/local-passes.ts'
import { secretOf } from '../identity/secret-file.ts'
import { createHandles as createResultHandles } from '../shaping/handles.ts'
import { createAuditLog } from '../telemetry/audit/audit-log.ts'
import { createCapture } from '../telemetry/capture.ts'
import { createFeed } from '../telemetry/feed.ts'
import { createLedger } from '../telemetry/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { type Metrics, createMetrics } from '../telemetry/metrics/metrics.ts'
import type { SharedRedis } from '../replicas/redis/shared-redis.ts'
import { createApprovals } from './approvals.ts'
import { Scripts } from './scripts.ts'
import { sessionSecret } from './session-secret.ts'
import { SealedPlace } from './stored/sealed-place.ts'
import { StoredTasks } from './stored/stored-tasks.ts'
import { type ReplicaServices, watchRedis } from './shared.ts'
import { taskRelay } from './relay-tasks.ts'
import type { Telemetry } from './telemetry.ts'
import type { SharedDatabase } from '../replicas/database/open-database.ts'
import type { Settings } from '../config/settings/settings.ts'
import { createFileKeyStore } from '../identity/file-key-store.ts'
import { identityFiles } from '../identity/identity-files.ts'
import type { Environment } from '../base/environment.ts'
import { createMemoryStore } from '../shaping/handles/result-store.ts'
import {
  type FileAuditSearchOptions,
  createFileAuditSearch,
} from '../telemetry/audit/file-audit-search.ts'
import { createFileHistory } from '../telemetry/history/file-history.ts'
import type { Prices } from '../telemetry/history/prices.ts'

/** How long whole results can be read by handle: as long as an agent works on one thing. */
const RESULT_MS = 3_600_000
/** How long a failing server is left alone before one call tries it again. */
const OPEN_MS = 30_000

export type AppState = ReturnType<typeof createAppState>

/** Creates the state that outlives a reload: records, keys, stored results, limits and circuits. */
export function createAppState(
  current: () => Config,
  log: Log,
  { database, redis }: ReplicaServices,
  { telemetry, env }: { readonly telemetry?: Telemetry | undefined; readonly env: Environment },
) {
  const { settings } = current()
  const { home, audit } = settings
  const rates = new Map<string, RateLimits | undefined>()
  if (redis) watchRedis(redis.client, log)
  const auditLog = createAuditLog({
    path: audit.path ?? join(home, 'audit.jsonl'),
    maxBytes: audit.maxBytes,
    keep: audit.maxFiles,
    beforeDiscard: telemetry?.beforeDiscard,
    log,
  })
  const metrics = createMeasures(telemetry)
  const feed = createFeed()
  const hints = redis?.hints()
  const sealed = new SealedPlace({ home, env, database, redis })
  const storedTasks = new StoredTasks(sealed, log)
  const prices = () => current().settings.prices
  const files = {
    path: auditLog.status.path,
    keep: audit.maxFiles,
    flush: async () => auditLog.flush(),
  }
  const places = database ? sharedPlaces(settings, database, prices) : ownPlaces(settings, files)
  const ledger = createLedger({
    auditLog,
    auditIndex: places.auditIndex,
    metrics,
    feed,
    log,
    more: telemetry?.ledger,
  })
  const questions = createApprovals({
    settings: () => current().settings,
    env,
    database,
    ledger,
    auditLog,
    gateway: { log, secret: () => secretOf(places.handleSecret) },
  })
  return {
    auditLog,
    metrics,
    feed,
    capture: createCapture(),
    ledger,
    approvals: questions.approvals,
    questions,
    tracing: telemetry?.tracing,
    auditIndex: places.auditIndex,
    auditSearch: places.auditSearch,
    history:
      places.auditIndex && database ? database.history : createFileHistory({ ...files, prices }),
    keys: places.keys,
    passes: createLocalPasses(() => secretOf(identityFiles(home).localSecret)),
    handles: createHandles(places.handleSecret),
    secret: () => secretOf(places.handleSecret),
    kept: createResultHandles(places.results),
    sealed,
    storedTasks,
    scripts: new Scripts({
      place: sealed,
      settings: () => current().settings.scripts,
      log,
    }),
    redis,
    sessionIds: createSessionIds(() =>
      sessionSecret({ source: places.handleSecret, shared: redis !== undefined, env, log }),
    ),
    ratesOf: (config: Config) => ratesOf(config, redis, rates),
    gatewayState: new GatewayState({
      circuits: new Circuits(
        () => ({ failures: current().settings.breaker.failures, openMs: OPEN_MS }),
        hints,
      ),
      results: createResults(settings, redis),
      tasks: new Tasks({
        ids: createTaskIds(() => secretOf(places.handleSecret)),
        records: storedTasks,
        relay: redis && taskRelay(redis.relay()),
      }),
    }),
  }
}

function createResults({ cache }: Settings, redis: SharedRedis | undefined): Results {
  const limits = { maxEntries: 1000, maxBytes: 64 << 20, staleMs: cache.staleMs }
  return redis?.results(limits) ?? new ResultCache(limits)
}

/** Creates the metrics; telemetry adds gauges and sends the metrics on. */
function createMeasures(telemetry: Telemetry | undefined): Metrics {
  const metrics = createMetrics()
  for (const gauge of telemetry?.gauges ?? []) metrics.gauge(gauge)
  telemetry?.measures?.(metrics)
  return metrics
}

/** Caches a value until the settings that it was made from change. */
export function untilChanged<Value>(
  recipe: (config: Config) => [settings: unknown, make: () => Value],
): (config: Config) => Value {
  let last: { key: string; value: Value } | undefined
  return (config) => {
    const [settings, make] = recipe(config)
    const key = JSON.stringify(settings)
    if (last?.key !== key) last = { key, value: make() }
    return last.value
  }
}

/** Folders with equal limits share them; a reload of one gives nobody a fresh start. */
function ratesOf(
  { settings: { limits, agents } }: Config,
  redis: SharedRedis | undefined,
  known: Map<string, RateLimits | undefined>,
): RateLimits | undefined {
  const own = Object.entries(agents).flatMap(([id, { ratePerMinute }]) =>
    ratePerMinute === undefined ? [] : [[id, { ratePerMinute, burst: limits.burst }] as const],
  )
  const wanted: RateLimitOptions = { ...limits, agents: Object.fromEntries(own) }
  return getOrMake(
    known,
    JSON.stringify(wanted),
    () => redis?.rates(wanted) ?? createRateLimits(wanted),
  )
}

/** The stores of a single process, in its data folder. */
function ownPlaces({ home }: Settings, files: FileAuditSearchOptions) {
  const { keys, handleSecret } = identityFiles(home)
  return {
    keys: createFileKeyStore(keys),
    handleSecret,
    results: memoryOfResults(),
    auditIndex: undefined,
    auditSearch: createFileAuditSearch(files),
  }
}

/** The stores of replicas, in the database they share. */
function sharedPlaces(
  { database: options }: Settings,
  database: SharedDatabase,
  prices: () => Prices,
) {
  database.keepHouse(() => options)
  return {
    keys: database.keys(),
    handleSecret: database.handleSecret,
    results: database.results(memoryOfResults(), RESULT_MS),
    auditIndex: options.auditIndex ? database.auditIndex(prices) : undefined,
    auditSearch: database.auditSearch,
  }
}

function memoryOfResults() {
  return createMemoryStore({ ttlMs: RESULT_MS, maxBytes: 64 << 20 })
}
