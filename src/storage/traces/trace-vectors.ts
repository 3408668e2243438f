import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Db, Engine } from '../storage.ts'
import { fromVectorColumn, toVectorColumn } from '../vectors.ts'
import type { TraceText } from './trace-rows.ts'

export interface TraceVector {
  readonly trace_id: string
  readonly model: string
  /** The revision of the text that was embedded. */
  readonly revision: number
  readonly vector: Float32Array
}

export async function saveTraceVectors(
  db: Db,
  engine: Engine,
  vectors: readonly TraceVector[],
): Promise<void> {
  if (vectors.length === 0) return
  await db
    .insertInto('trace_vectors')
    .values(
      vectors.map(({ vector, ...rest }) => ({
        ...rest,
        dimensions: vector.length,
        embedding: toVectorColumn(vector, engine),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['trace_id', 'model']).doUpdateSet((eb) => ({
        dimensions: eb.ref('excluded.dimensions'),
        embedding: eb.ref('excluded.embedding'),
        revision: eb.ref('excluded.revision'),
      })),
    )
    .execute()
}

/** Returns texts that have no vector of this model, or one of an older text. */
export async function tracesToEmbed(db: Db, model: string, limit: number): Promise<TraceText[]> {
  return db
    .selectFrom('traces')
    .leftJoin('trace_vectors', (join) =>
      join.onRef('trace_vectors.trace_id', '=', 'traces.id').on('trace_vectors.model', '=', model),
    )
    .select([
      'traces.id',
      'traces.title',
      'traces.context_text',
      'traces.solution_text',
      'traces.revision',
    ])
    .where((eb) =>
      eb.or([
        eb('trace_vectors.trace_id', 'is', null),
        eb('trace_vectors.revision', '<', eb.ref('traces.revision')),
      ]),
    )
    .orderBy('traces.revision')
    .limit(limit)
    .execute()
}

const PAGE = 500

/** Returns vectors of texts that changed after a position, oldest first. */
export async function vectorsAfter(
  db: Db,
  model: string,
  after: { readonly revision: number; readonly id: string },
): Promise<TraceVector[]> {
  const rows = await db
    .selectFrom('trace_vectors')
    .select(['trace_id', 'model', 'revision', 'embedding'])
    .where('model', '=', model)
    .where('revision', '>=', after.revision)
    .where((eb) => eb.or([eb('revision', '>', after.revision), eb('trace_id', '>', after.id)]))
    .orderBy('revision')
    .orderBy('trace_id')
    .limit(PAGE)
    .execute()
  return rows.map(({ embedding, ...rest }) => ({ ...rest, vector: fromVectorColumn(embedding) }))
}

export async function vectorsOf(
  db: Db,
  model: string,
  ids: readonly string[],
): Promise<Map<string, Float32Array>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('trace_vectors')
    .select(['trace_id', 'embedding'])
    .where('model', '=', model)
    .where('trace_id', 'in', ids)
    .execute()
  return new Map(rows.map(({ trace_id, embedding }) => [trace_id, fromVectorColumn(embedding)]))
}

/** The longest vector that pgvector can index; longer ones are compared one by one. */
const MAX_INDEXED = 2_000
/** The number of candidates that HNSW considers; at least as many as are requested. */
const EF_SEARCH = 100

/** Creates an index for the vectors of one model, as each has its own length; PostgreSQL only. */
export async function ensureVectorIndex(
  db: Db,
  { model, dimensions }: { readonly model: string; readonly dimensions: number },
): Promise<void> {
  if (dimensions > MAX_INDEXED) return
  const name = createHash('sha256').update(model).digest('hex').slice(0, 12)
  await sql`create index if not exists ${sql.id(`trace_vectors_${name}`)}
    on ${sql.table('trace_vectors')}
    using hnsw ((embedding::${vectorOf(dimensions)}) vector_cosine_ops)
    where model = ${sql.lit(model)}`.execute(db)
}

interface NearestQuery {
  readonly model: string
  readonly vector: Float32Array
  readonly limit: number
  /** Distinct tags; a trace must have all of them. */
  readonly tags: readonly string[]
}

/** Returns the nearest traces by pgvector with their cosine similarity; PostgreSQL only. */
export async function nearestTraces(
  db: Kysely<Database>,
  query: NearestQuery,
): Promise<{ id: string; similarity: number }[]> {
  const type = vectorOf(query.vector.length)
  const vector = sql`${`[${query.vector.join(',')}]`}::${type}`
  // The statement changes the setting for itself before it scans; otherwise it would take a
  // transaction of four statements.
  const { rows } = await sql<{ id: string; similarity: number }>`${tagged(query)}
    select trace_id as id, 1 - (embedding::${type} <=> ${vector}) as similarity
    from ${query.tags.length > 0 ? sql.raw('tagged') : sql.table('trace_vectors')} where model = ${query.model}
      and (select set_config('hnsw.ef_search', ${String(EF_SEARCH)}, true)) is not null
    order by embedding::${type} <=> ${vector} limit ${query.limit}`.execute(db)
  return rows
}

/** Selects tagged traces to compare one by one; the nearest by index may not have the tags. */
function tagged({ tags }: NearestQuery) {
  if (tags.length === 0) return sql``
  return sql`with tagged as materialized (
    select trace_id, model, embedding from ${sql.table('trace_vectors')} where trace_id in (
      select trace_id from ${sql.table('trace_tags')} where tag in (${sql.join(tags)})
      group by trace_id having count(*) = ${tags.length}))`
}

function vectorOf(dimensions: number) {
  return sql.raw(`vector(${Math.trunc(dimensions)})`)
}
