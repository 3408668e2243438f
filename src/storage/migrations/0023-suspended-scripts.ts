import type { Migration } from '../migrate.ts'

/** Scripts that wait for a person's answer; any replica may continue one, but only once. */
export const suspendedScripts: Migration = {
  name: '0023-suspended-scripts',
  async up(db) {
    await db.schema
      .createTable('suspended_scripts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('image', 'text')
      .addColumn('trail', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('resumed_at', 'bigint')
      .execute()
    await db.schema
      .createIndex('suspended_scripts_by_owner')
      .on('suspended_scripts')
      .columns(['owner', 'created_at'])
      .execute()
    await db.schema
      .createIndex('suspended_scripts_by_end')
      .on('suspended_scripts')
      .columns(['expires_at', 'bytes'])
      .execute()
  },
}
