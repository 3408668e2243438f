import type { ColumnDefinitionBuilder } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Which traces readers pass over on their way to which others, and what follows from it. */
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
    // What a deleted trace takes with it is found by these.
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
