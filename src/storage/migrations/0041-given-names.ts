import type { Migration } from '../migrate.ts'

/** The names that clients were shown, so that a replica understands names another has shown. */
export const givenNames: Migration = {
  name: '0041-given-names',
  async up(db) {
    await db.schema
      .createTable('given_names')
      .addColumn('source', 'text', (column) => column.primaryKey())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
