import type { Migration } from '../migrate.ts'

/** Saved scripts with all their versions. */
export const savedScripts: Migration = {
  name: '0040-saved-scripts',
  async up(db) {
    await db.schema
      .createTable('saved_scripts')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('active_version', 'integer')
      .execute()
    await db.schema
      .createTable('saved_script_versions')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('input_schema_json', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('author', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('decided_by', 'text')
      .addColumn('decided_at', 'bigint')
      .addPrimaryKeyConstraint('saved_script_versions_pk', ['name', 'version'])
      .execute()
  },
}
