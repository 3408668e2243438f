import { sql, type RawBuilder } from 'kysely'
import type { Storage, Engine } from '../storage.ts'
import type { TraceRow } from '../tables/trace-tables.ts'
import type { Preference } from './passed-over.ts'
import { SERIES, traceRevision } from './trace-rows.ts'

type TraceDb = Pick<Storage, 'db' | 'engine'>

const SIGNALS = [
  'id',
  'status',
  'trust_score',
  'depth_score',
  'half_life_days',
  'created_at',
  'last_retrieved_at',
  'valid_until',
  'is_stale',
  'is_flagged',
  'convergence_level',
  'memory_temperature',
  'somatic_intensity',
  'impact_level',
  'fingerprint_json',
] as const

/** The fields of a trace that ranking needs, without its texts. */
export type TraceSignals = Pick<TraceRow, (typeof SIGNALS)[number]>

export interface Link {
  readonly source_id: string
  readonly id: string
  readonly strength: number
}

export interface RankingRows {
  /** The signals of candidates and of linked traces; deleted traces are missing. */
  readonly signals: ReadonlyMap<string, TraceSignals>
  readonly links: readonly Link[]
  readonly preferences: readonly Pick<Preference, 'winner_id' | 'loser_id'>[]
  /** The current revision of the traces; an index behind it may have missed a candidate. */
  readonly revision: number
}

interface RankingRow extends TraceSignals {
  readonly source_id: string | null
  readonly strength: number | null
  readonly revision: number
  /** Ids separated by spaces. */
  readonly winners: string | null
}

const OF_LINKS = ['source_id', 'strength', 'revision', 'winners'] as const
const MAX_LINKS = 50

/**
 * Returns what ranks candidates: their signals, which of them readers pass over for which others,
 * and the traces one hop from the `sources` among them, strongest links first: those used with
 * them, alternatives, and replacements.
 */
export async function findRankingRows(
  place: TraceDb,
  candidates: readonly string[],
  sources: readonly string[],
): Promise<RankingRows> {
  const { db, engine } = place
  const signals = sql.join(SIGNALS.map((name) => sql.ref(`traces.${name}`)))
  const revision = sql`(select value from ${sql.table('counters')} where name = ${SERIES}) as revision`
  const query = sql`
    with links as (
      select source_id, target_id as id, strength from ${sql.table('relationships')}
        where ${among(engine, 'source_id', sources)} and type in ('CO_RETRIEVED', 'ALTERNATIVE_TO')
      union all
      select target_id, source_id, strength from ${sql.table('relationships')}
        where ${among(engine, 'target_id', sources)} and type = 'SUPERSEDES'
      order by strength desc limit ${sql.lit(MAX_LINKS)})
    select ${signals}, null as source_id, null as strength, ${revision},
        (select string_agg(winner_id, ' ') from ${sql.table('rif_shadows')} where loser_id = traces.id) as winners
      from ${sql.table('traces')} where ${among(engine, 'traces.id', candidates)}
    union all
    select ${signals}, links.source_id, links.strength, ${revision}, null
      from links join ${sql.table('traces')} on traces.id = links.id`
  const columns = [...SIGNALS, ...OF_LINKS]
  const rows = candidates.length > 0 ? await jsonRows<RankingRow>(place, columns, query) : []
  return { ...sorted(rows), revision: rows[0]?.revision ?? (await traceRevision(db)) }
}

function sorted(rows: readonly RankingRow[]): Omit<RankingRows, 'revision'> {
  const signals = new Map<string, TraceSignals>()
  const links: Link[] = []
  const preferences: RankingRows['preferences'][number][] = []
  for (const row of rows) {
    const { id, source_id, strength, winners } = row
    signals.set(id, row)
    if (source_id !== null && strength !== null) links.push({ source_id, id, strength })
    for (const winner_id of winners?.split(' ') ?? []) preferences.push({ winner_id, loser_id: id })
  }
  return { signals, links, preferences }
}

export interface RelatedTrace {
  readonly id: string
  readonly title: string
  readonly relationship_type: string
  readonly strength: number
}

export interface ShownTrace extends TraceRow {
  readonly display_name: string | null
  readonly tags: readonly string[]
  /** Linked traces, strongest first, without hidden ones. */
  readonly related: readonly RelatedTrace[]
}

interface ShownRow extends TraceRow {
  readonly display_name: string | null
  readonly tag_list: string | null
  readonly related_json: string | null
}

const MAX_RELATED = 3

/**
 * Returns whole traces as they are shown. Subqueries by index fetch the related data, because with
 * outdated statistics the planner may start a join at the wrong table.
 */
export async function findShownTraces(
  { db, engine }: TraceDb,
  ids: readonly string[],
): Promise<ShownTrace[]> {
  if (ids.length === 0) return []
  const [all, object] =
    engine === 'postgres' ? ['json_agg', 'json_build_object'] : ['json_group_array', 'json_object']
  const { rows } = await sql<ShownRow>`
    select traces.*,
      (select display_name from ${sql.table('accounts')} where id = traces.contributor_id) as display_name,
      (select string_agg(tag, ' ' order by tag) from ${sql.table('trace_tags')} where trace_id = traces.id) as tag_list,
      (select cast(${sql.raw(all)}(${sql.raw(object)}('id', id, 'title', title,
          'relationship_type', type, 'strength', strength)) as text)
        from (select other.id, other.title, links.type, links.strength
          from ${sql.table('relationships')} links join ${sql.table('traces')} other on other.id = links.target_id
          where links.source_id = traces.id and other.is_flagged = 0
          order by links.strength desc, other.id limit ${sql.lit(MAX_RELATED)}) as strongest
      ) as related_json
    from ${sql.table('traces')} where ${among(engine, 'traces.id', ids)}`.execute(db)
  return rows.map(({ tag_list, related_json, ...row }) => ({
    ...row,
    // Tags contain no spaces.
    tags: tag_list?.split(' ') ?? [],
    related: related_json === null ? [] : parseRelated(related_json),
  }))
}

function parseRelated(json: string): RelatedTrace[] {
  return JSON.parse(json)
}

/**
 * Builds `column in (…)` with the whole list as one parameter, so that the statement is the same
 * for any number of ids and is prepared only once.
 */
function among(engine: Engine, column: string, ids: readonly string[]): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`${sql.ref(column)} = any(${ids}::text[])`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`
}

/**
 * Reads the rows of a query as one JSON text. Drivers build each row property by property, which
 * for many small rows takes twice as long as the query itself; parsing JSON is faster.
 */
async function jsonRows<Row>(
  { db, engine }: Pick<Storage, 'db' | 'engine'>,
  columns: readonly (keyof Row & string)[],
  query: RawBuilder<unknown>,
): Promise<Row[]> {
  const pairs = columns.map((name) => sql`${sql.lit(name)}, ${sql.ref(name)}`)
  const all =
    engine === 'postgres'
      ? sql`cast(json_agg(every_row) as text)`
      : sql`json_group_array(json_object(${sql.join(pairs)}))`
  const { rows } = await sql<{ json: string | null }>`
    select ${all} as json from (${query}) as every_row`.execute(db)
  return JSON.parse(rows[0]?.json ?? '[]')
}
