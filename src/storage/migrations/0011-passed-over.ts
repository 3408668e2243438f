import type { ColumnDefinitionBuilder } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Which traces readers pass over for which others, and the rankings that result from it. */
export const passedOver: Migration = {
  name: '0011-passed-over',
  async up(db) {
    await db.schema
      .createTable('passed_over')
      .addColumn('winner_id', 'text', ofTrace)
      .addColumn('loser_id', 'text', ofTrace)
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('passed_over_pk', ['loser_id', 'winner_id', 'account_id', 'day'])
      .execute()
    await db.schema
      .createTable('rif_shadows')
      .addColumn('winner_id', 'text', ofTrace)
      .addColumn('loser_id', 'text', ofTrace)
      .addColumn('sessions', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('rif_shadows_pk', ['loser_id', 'winner_id'])
      .execute()
    // These find the rows to delete with a trace.
    await db.schema
      .createIndex('passed_over_by_winner')
      .on('passed_over')
      .column('winner_id')
      .execute()
    await db.schema
      .createIndex('rif_shadows_by_winner')
      .on('rif_shadows')
      .column('winner_id')
      .execute()
  },
}

function ofTrace(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull().references('traces.id').onDelete('cascade')
}
