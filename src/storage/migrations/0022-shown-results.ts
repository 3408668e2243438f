import type { Migration } from '../migrate.ts'

/** Results shown to each account; a trace may be opened in another process than the search. */
export const shownResults: Migration = {
  name: '0022-shown-results',
  async up(db) {
    await db.schema
      .createTable('shown_results')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('trace_ids_json', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('shown_results_by_account')
      .on('shown_results')
      .columns(['account_id', 'at'])
      .execute()
    await db.schema.createIndex('shown_results_by_age').on('shown_results').column('at').execute()
  },
}
