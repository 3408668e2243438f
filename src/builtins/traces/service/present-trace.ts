import type { TraceRow } from '../../../storage/tables/trace-tables.ts'
import { displayNames } from '../../../storage/traces/accounts.ts'
import type { ShownTrace } from '../../../storage/traces/search-rows.ts'
import { tagsOf } from '../../../storage/traces/tags.ts'
import type { Deps } from './deps.ts'
import type { Fingerprint } from './rules/context-fingerprint.ts'
import type { Metadata } from './rules/enrich-metadata.ts'

/** Converts rows to API documents, with tags, names, ISO timestamps and injection warnings. */
export async function presentTraces(
  { storage }: Deps,
  rows: readonly TraceRow[],
): Promise<TraceDocument[]> {
  const tags = await tagsOf(
    storage.db,
    rows.map(({ id }) => id),
  )
  const names = await displayNames(storage.db, [
    ...new Set(rows.map(({ contributor_id }) => contributor_id)),
  ])
  return rows.map((row) =>
    presentTrace({
      ...row,
      tags: tags.get(row.id) ?? [],
      display_name: names.get(row.contributor_id) ?? null,
    }),
  )
}

export type TraceDocument = ReturnType<typeof presentTrace>

export function presentTrace(row: Omit<ShownTrace, 'related'>) {
  return {
    id: row.id,
    status: row.status,
    title: row.title,
    context_text: row.context_text,
    solution_text: row.solution_text,
    trust_score: row.trust_score,
    confirmation_count: row.confirmation_count,
    tags: [...row.tags],
    depth_score: row.depth_score,
    somatic_intensity: row.somatic_intensity,
    impact_level: row.impact_level,
    retrieval_count: row.retrieval_count,
    half_life_days: row.half_life_days,
    trace_type: row.trace_type,
    is_stale: row.is_stale === 1,
    is_flagged: row.is_flagged === 1,
    context_fingerprint: parseFingerprint(row),
    convergence_level: row.convergence_level,
    memory_temperature: row.memory_temperature,
    valid_from: toIso(row.valid_from),
    valid_until: toIsoOrNull(row.valid_until),
    review_after: toIsoOrNull(row.review_after),
    watch_condition: row.watch_condition,
    agent_model: row.agent_model,
    agent_version: row.agent_version,
    metadata_json: parseObject(row.metadata_json),
    contributor_id: row.contributor_id,
    contributor_name: row.display_name ?? `anon-${row.contributor_id.slice(0, 8)}`,
    untrusted: true as const,
    injection_flags: parseList(row.injection_json),
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  }
}

export function parseFingerprint({
  fingerprint_json,
}: Pick<TraceRow, 'fingerprint_json'>): Fingerprint {
  return Object.fromEntries(
    Object.entries(parseObject(fingerprint_json)).map(([part, value]) => [part, String(value)]),
  )
}

export function parseObject(json: string): Metadata {
  const value: unknown = JSON.parse(json)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export function parseList(json: string): string[] {
  const value: unknown = JSON.parse(json)
  return Array.isArray(value) ? value.map(String) : []
}

export function toIso(ms: number): string {
  return new Date(ms).toISOString()
}

export function toIsoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms)
}
