import { join } from 'node:path'
import type { Config } from '../config/load.ts'
import { Circuits } from '../gateway/layers/breaker.ts'
import { type Rates, type RatesOptions, createRates } from '../gateway/rates.ts'
import { createFileKeyStore } from '../identity/file-key-store.ts'
import { createHandles } from '../identity/handles.ts'
import { identityFiles } from '../identity/identity-files.ts'
import { createHandles as createResultHandles } from '../shaping/handles.ts'
import { createMemoryStore } from '../shaping/handles/result-store.ts'
import { createAuditLog } from '../telemetry/audit-log.ts'
import { createFileAuditSearch } from '../telemetry/file-audit-search.ts'
import { createFeed } from '../telemetry/feed.ts'
import { createLedger } from '../telemetry/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createRedisRates } from '../redis/redis-rates.ts'
import type { RedisClient } from '../redis/redis-client.ts'
import { createKeptResults } from './kept-results.ts'
import type { Shared } from './shared.ts'
import { watchRedis } from './watch-redis.ts'

export type Lasting = ReturnType<typeof createLasting>

/** What outlives a reload: records, keys, kept results, and the state of limits and circuits. */
export function createLasting(config: Config, log: Log, { database, redis }: Shared) {
  const { settings } = config
  const { home, audit, budgets } = settings
  if (redis) watchRedis(redis, log)
  const path = audit.path ?? join(home, 'audit.jsonl')
  const keep = audit.maxFiles
  const auditLog = createAuditLog({ path, maxBytes: audit.maxBytes, keep })
  const metrics = createMetrics()
  const feed = createFeed()
  const files = identityFiles(home)
  const local = createMemoryStore({ ttlMs: budgets.handleTtlMs, maxBytes: budgets.handleMaxBytes })
  const auditIndex = settings.database.auditIndex ? database?.auditIndex() : undefined
  database?.keepHouse(() => settings.database)
  return {
    auditLog,
    metrics,
    feed,
    ledger: createLedger({ auditLog, auditIndex, metrics, feed, log }),
    auditIndex,
    auditSearch:
      database?.auditSearch ??
      createFileAuditSearch({ path, keep, flush: async () => auditLog.flush() }),
    keys: database?.keys(settings.database.keyGraceMs) ?? createFileKeyStore(files.keys),
    handles: createHandles(database?.handleSecret ?? files.handleSecret),
    kept: createResultHandles(
      database?.results(local, budgets.handleTtlMs) ?? local,
      budgets.encoding,
    ),
    resultsOf: createKeptResults(config, redis),
    redis,
    ratesOf: remade((wanted) => ratesOf(wanted, redis)),
    circuitsOf: remade(({ settings: { breaker } }) => [breaker, () => new Circuits(() => breaker)]),
  }
}

/** Keeps what was made, until the settings that it was made of change. */
function remade<Value>(
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

function ratesOf(
  { settings: { limits, agents } }: Config,
  redis: RedisClient | undefined,
): [unknown, () => Rates | undefined] {
  const own = Object.entries(agents).flatMap(([id, { ratePerMinute }]) =>
    ratePerMinute === undefined ? [] : [[id, { ratePerMinute, burst: limits.burst }] as const],
  )
  const wanted: RatesOptions = { ...limits, agents: Object.fromEntries(own) }
  return [wanted, () => (redis ? createRedisRates(redis, wanted) : createRates(wanted))]
}
