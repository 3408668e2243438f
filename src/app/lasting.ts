import { join } from 'node:path'
import type { Config } from '../config/load.ts'
import { Circuits } from '../gateway/layers/breaker.ts'
import { type Rates, createRates } from '../gateway/rates.ts'
import { ResultCache } from '../gateway/result-cache.ts'
import { createFileKeyStore } from '../identity/file-key-store.ts'
import { createHandles } from '../identity/handles.ts'
import { identityFiles } from '../identity/identity-files.ts'
import { createHandles as createResultHandles } from '../shaping/handles.ts'
import { createMemoryStore } from '../shaping/handles/result-store.ts'
import { createAuditLog } from '../telemetry/audit-log.ts'
import { createFeed } from '../telemetry/feed.ts'
import { createLedger } from '../telemetry/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import type { Shared } from './shared.ts'
import type { Telemetry } from './telemetry.ts'

export type Lasting = ReturnType<typeof createLasting>

/** What outlives a reload: records, keys, kept results, and the state of limits and circuits. */
export function createLasting(
  { settings }: Config,
  log: Log,
  _shared: Shared,
  telemetry?: Telemetry,
) {
  const { home, audit, budgets, cache } = settings
  const auditLog = createAuditLog({
    path: audit.path ?? join(home, 'audit.jsonl'),
    maxBytes: audit.maxBytes,
    keep: audit.maxFiles,
    beforeDiscard: telemetry?.beforeDiscard,
  })
  const metrics = createMetrics()
  for (const gauge of telemetry?.gauges ?? []) metrics.gauge(gauge)
  const feed = createFeed()
  const files = identityFiles(home)
  const store = createMemoryStore({ ttlMs: budgets.handleTtlMs, maxBytes: budgets.handleMaxBytes })
  return {
    auditLog,
    metrics,
    feed,
    ledger: createLedger({ auditLog, metrics, feed, log, more: telemetry?.ledger }),
    tracing: telemetry?.tracing,
    keys: createFileKeyStore(files.keys),
    handles: createHandles(files.handleSecret),
    kept: createResultHandles(store, budgets.encoding),
    results: new ResultCache(cache),
    ratesOf: remade(ratesOf),
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

function ratesOf({ settings: { limits, agents } }: Config): [unknown, () => Rates | undefined] {
  const own = Object.entries(agents).flatMap(([id, { ratePerMinute }]) =>
    ratePerMinute === undefined ? [] : [[id, { ratePerMinute, burst: limits.burst }] as const],
  )
  const wanted = { ...limits, agents: Object.fromEntries(own) }
  return [wanted, () => createRates(wanted)]
}
