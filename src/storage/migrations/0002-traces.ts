import type { Migration } from '../migrate.ts'

export const traces: Migration = {
  name: '0002-traces',
  async up(db) {
    await db.schema
      .createTable('traces')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('context_text', 'text', (column) => column.notNull())
      .addColumn('solution_text', 'text', (column) => column.notNull())
      .addColumn('content_hash', 'text', (column) => column.notNull().unique())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('trust_score', 'double precision', (column) => column.notNull().defaultTo(0))
      .addColumn('confirmation_count', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('contributor_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('agent_model', 'text')
      .addColumn('agent_version', 'text')
      .addColumn('metadata_json', 'text', (column) => column.notNull())
      .addColumn('fingerprint_json', 'text', (column) => column.notNull())
      .addColumn('injection_json', 'text', (column) => column.notNull())
      .addColumn('is_seed', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('is_stale', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('is_flagged', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('flagged_at', 'bigint')
      .addColumn('retrieval_count', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('last_retrieved_at', 'bigint')
      .addColumn('depth_score', 'integer', (column) => column.notNull())
      .addColumn('half_life_days', 'integer', (column) => column.notNull())
      .addColumn('trace_type', 'text', (column) => column.notNull().defaultTo('episodic'))
      .addColumn('review_after', 'bigint')
      .addColumn('watch_condition', 'text')
      .addColumn('convergence_level', 'integer')
      .addColumn('convergence_cluster_id', 'text')
      .addColumn('somatic_intensity', 'double precision', (column) => column.notNull())
      .addColumn('impact_level', 'text', (column) => column.notNull())
      .addColumn('memory_temperature', 'text', (column) => column.notNull().defaultTo('WARM'))
      .addColumn('valid_from', 'bigint', (column) => column.notNull())
      .addColumn('valid_until', 'bigint')
      .addColumn('consolidated_period', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('tags')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('is_curated', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('trace_tags')
      .addColumn('trace_id', 'text', (column) =>
        column.notNull().references('traces.id').onDelete('cascade'),
      )
      .addColumn('tag', 'text', (column) => column.notNull().references('tags.name'))
      .addPrimaryKeyConstraint('trace_tags_pk', ['trace_id', 'tag'])
      .execute()
    await index(db, 'traces', ['revision'])
    await index(db, 'traces', ['contributor_id'])
    await index(db, 'traces', ['created_at'])
    await index(db, 'traces', ['trust_score'])
    await index(db, 'traces', ['consolidated_period'])
    await index(db, 'trace_tags', ['tag', 'trace_id'])
  },
}

async function index(
  db: Parameters<Migration['up']>[0],
  table: string,
  columns: string[],
): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute()
}
