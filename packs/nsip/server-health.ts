import type { ApiPort, JsonObject } from 'portolan'
import { object } from './values.ts'
import { knowledge } from './knowledge.ts'

/** Returns measurements and the contract's success criteria: true, false, or null if unobserved. */
export async function serverHealth({
  metrics,
  health,
}: Pick<ApiPort, 'metrics' | 'health'>): Promise<JsonObject> {
  const discovery = metrics.discovery.summary()
  const resources = assetRate(metrics.resources)
  const prompts = assetRate(metrics.prompts)
  const cache = cacheRate(health)
  const summaries = health?.summaries() ?? { count: 0, averageReductionPct: null }
  const validation = validationRate(metrics, health)
  const connections = { active: metrics.active, peak: metrics.peak }
  return {
    startup_time_seconds: round(metrics.startupMs / 1000),
    uptime_seconds: round((Date.now() - metrics.startedAt) / 1000),
    calls: { total: metrics.calls, failed: metrics.failures, api_requests: metrics.apiRequests },
    discovery: {
      count: discovery.count,
      average_ms: round(discovery.averageMs),
      max_ms: round(discovery.maxMs),
    },
    summarization: {
      count: summaries.count,
      average_reduction_percent: round(summaries.averageReductionPct),
    },
    validation,
    cache,
    connections,
    resources,
    prompts,
    // Advice comes from the knowledge of the pack: no model is asked.
    sampling: null,
    knowledge_base: await knowledgeSize(),
    success_criteria: {
      'SC-001 discovery <5 s': met(discovery.maxMs, (ms) => ms < 5_000),
      'SC-002 reduction >=70 %': met(summaries.averageReductionPct, (pct) => pct >= 70),
      'SC-003 validation >=95 %': met(validation.success_rate_percent, (pct) => pct >= 95),
      // A peak below fifty proves nothing about fifty.
      'SC-005 50+ concurrent': connections.peak >= 50 ? true : null,
      'SC-006 cache >=40 %': met(cache.hit_rate_percent, (pct) => pct >= 40),
      'SC-007 startup <3 s': metrics.startupMs < 3_000,
      'SC-008 resource <2 s': met(resources.max_ms, (ms) => ms < 2_000),
      'SC-009 prompts >=90 %': met(prompts.success_rate_percent, (pct) => pct >= 90),
      'SC-010 sampling ratio <3': null,
    },
  }
}

function cacheRate(health: ApiPort['health']) {
  const { hits, misses } = health?.cache() ?? { hits: 0, misses: 0 }
  return { hits, misses, hit_rate_percent: percent(hits, hits + misses) }
}

/** Invalid arguments are refused before they get here: only the layer that does it counts them. */
function validationRate({ accepted }: ApiPort['metrics'], health: ApiPort['health']) {
  const refused = health?.refusals?.() ?? 0
  const checked = accepted + refused
  return { checked, refused, success_rate_percent: percent(accepted, checked) }
}

function assetRate(timings: ApiPort['metrics']['prompts']) {
  const { count, averageMs, maxMs } = timings.summary()
  const asked = count + timings.failures
  return {
    count: asked,
    failed: timings.failures,
    success_rate_percent: percent(count, asked),
    average_ms: round(averageMs),
    max_ms: round(maxMs),
  }
}

async function knowledgeSize(): Promise<JsonObject> {
  const sections = Object.entries(await knowledge())
  return Object.fromEntries(
    sections.map(([name, section]) => [name, Object.keys(object(section)).length]),
  )
}

function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : round((100 * part) / whole)
}

function met(measured: number | null, test: (value: number) => boolean): boolean | null {
  return measured === null ? null : test(measured)
}

function round<T extends number | null>(value: T): T | number {
  return value === null ? value : Math.round(value * 1000) / 1000
}
