import type { ColumnDefinitionBuilder } from 'kysely'
import type { Migration } from '../migrate.ts'

/** How people and agents use traces: votes, amendments, flags, links, searches without results. */
export const traceSignals: Migration = {
  name: '0003-trace-signals',
  async up(db) {
    await db.schema
      .createTable('votes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('trace_id', 'text', ofTrace)
      .addColumn('voter_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('vote_type', 'text', required)
      .addColumn('weight', 'double precision', required)
      .addColumn('confirms', 'integer', required)
      .addColumn('feedback_tag', 'text')
      .addColumn('feedback_text', 'text')
      .addColumn('context_json', 'text')
      .addColumn('created_at', 'bigint', required)
      .addUniqueConstraint('votes_once', ['trace_id', 'voter_id'])
      .execute()
    await db.schema
      .createTable('amendments')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('original_trace_id', 'text', ofTrace)
      .addColumn('submitter_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('improved_solution', 'text', required)
      .addColumn('explanation', 'text', required)
      .addColumn('status', 'text', required)
      .addColumn('trust_score', 'double precision', (column) => column.notNull().defaultTo(0))
      .addColumn('confirmation_count', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', required)
      .addColumn('decided_at', 'bigint')
      .execute()
    await db.schema
      .createTable('amendment_votes')
      .addColumn('amendment_id', 'text', (column) =>
        column.notNull().references('amendments.id').onDelete('cascade'),
      )
      .addColumn('voter_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('vote_type', 'text', required)
      .addColumn('weight', 'double precision', required)
      .addColumn('created_at', 'bigint', required)
      .addPrimaryKeyConstraint('amendment_votes_pk', ['amendment_id', 'voter_id'])
      .execute()
    await db.schema
      .createTable('flags')
      .addColumn('trace_id', 'text', ofTrace)
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('category', 'text', required)
      .addColumn('reason', 'text', required)
      .addColumn('counts', 'integer', required)
      .addColumn('created_at', 'bigint', required)
      .addPrimaryKeyConstraint('flags_pk', ['trace_id', 'account_id'])
      .execute()
    await db.schema
      .createTable('domain_reputation')
      .addColumn('contributor_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('tag', 'text', required)
      .addColumn('upvote_count', 'integer', required)
      .addColumn('downvote_count', 'integer', required)
      .addColumn('wilson_score', 'double precision', required)
      .addPrimaryKeyConstraint('domain_reputation_pk', ['contributor_id', 'tag'])
      .execute()
    await db.schema
      .createTable('relationships')
      .addColumn('source_id', 'text', ofTrace)
      .addColumn('target_id', 'text', ofTrace)
      .addColumn('type', 'text', required)
      .addColumn('strength', 'double precision', required)
      .addPrimaryKeyConstraint('relationships_pk', ['source_id', 'target_id', 'type'])
      .execute()
    await db.schema
      .createTable('retrievals')
      .addColumn('trace_id', 'text', ofTrace)
      .addColumn('account_id', 'text', required)
      .addColumn('day', 'bigint', required)
      .addColumn('at', 'bigint', required)
      .addPrimaryKeyConstraint('retrievals_pk', ['trace_id', 'account_id', 'day'])
      .execute()
    await db.schema
      .createTable('search_misses')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('query', 'text')
      .addColumn('tags_json', 'text', required)
      .addColumn('language', 'text')
      .addColumn('framework', 'text')
      .addColumn('created_at', 'bigint', required)
      .execute()
    await db.schema
      .createTable('consolidation_runs')
      .addColumn('period', 'bigint', (column) => column.primaryKey())
      .addColumn('status', 'text', required)
      .addColumn('stats_json', 'text', required)
      .addColumn('started_at', 'bigint', required)
      .addColumn('finished_at', 'bigint')
      .execute()
    await db.schema
      .createTable('tag_trends')
      .addColumn('tag', 'text', required)
      .addColumn('period_end', 'bigint', required)
      .addColumn('growth_rate', 'double precision', required)
      .addColumn('trace_count', 'integer', required)
      .addColumn('prior_count', 'integer', required)
      .addPrimaryKeyConstraint('tag_trends_pk', ['tag', 'period_end'])
      .execute()
    await db.schema
      .createTable('trigger_reports')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', required)
      .addColumn('session_id', 'text', required)
      .addColumn('stats_json', 'text', required)
      .addColumn('searches_fired', 'integer', required)
      .addColumn('traces_consumed', 'integer', required)
      .addColumn('resolutions_total', 'integer', required)
      .addColumn('resolutions_assisted', 'integer', required)
      .addColumn('created_at', 'bigint', required)
      .execute()
    await db.schema
      .createTable('savings')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('minutes', 'double precision', required)
      .addColumn('tokens', 'bigint', required)
      .addColumn('event_type', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .execute()
    await db.schema
      .createIndex('amendments_by_trace')
      .on('amendments')
      .column('original_trace_id')
      .execute()
    await db.schema
      .createIndex('relationships_by_target')
      .on('relationships')
      .column('target_id')
      .execute()
    await db.schema
      .createIndex('retrievals_by_account')
      .on('retrievals')
      .columns(['account_id', 'day'])
      .execute()
    await db.schema.createIndex('votes_by_voter').on('votes').column('voter_id').execute()
  },
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}

function ofTrace(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull().references('traces.id').onDelete('cascade')
}
