import { randomUUID } from 'node:crypto'
import type { Storage } from '../../src/storage/storage.ts'
import { toVectorColumn } from '../../src/storage/vectors.ts'

export async function tagNames(storage: Storage): Promise<string[]> {
  const rows = await storage.db.selectFrom('tags').select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}

export async function missing(storage: Storage, names: readonly string[]): Promise<string[]> {
  const stored = new Set(await tagNames(storage))
  return names.filter((name) => !stored.has(name))
}

export async function insertTrace(storage: Storage): Promise<string> {
  const id = randomUUID()
  const at = 1_700_000_000_000
  await storage.db
    .insertInto('accounts')
    .values({ id, key_hash: id, created_at: at, updated_at: at })
    .execute()
  await storage.db
    .insertInto('traces')
    .values({
      id,
      title: 'A title with "quotes" and ✓',
      context_text: 'line one\nline two',
      solution_text: 'x'.repeat(5000),
      content_hash: id,
      status: 'pending',
      trust_score: 0.125,
      contributor_id: id,
      metadata_json: '{}',
      fingerprint_json: '{}',
      injection_json: '[]',
      depth_score: 1,
      half_life_days: 365,
      somatic_intensity: 0.2,
      impact_level: 'normal',
      valid_from: at,
      revision: 1,
      created_at: at,
      updated_at: at,
    })
    .execute()
  return id
}

export async function insertVector(
  storage: Storage,
  id: string,
  vector: Float32Array,
): Promise<void> {
  await storage.db
    .insertInto('trace_vectors')
    .values({
      trace_id: id,
      model: 'm',
      dimensions: vector.length,
      embedding: toVectorColumn(vector, storage.engine),
      revision: 1,
    })
    .execute()
}
