import type { Migration } from '../migrate.ts'

/** Data that replicas share: keys, secrets, kept results, sign-ins, configuration. */
export const shared: Migration = {
  name: '0020-shared',
  async up(db) {
    await db.schema
      .createTable('api_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('agent', 'text', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull())
      .addColumn('role', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .execute()
    await db.schema
      .createTable('secrets')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('kept_results')
      .addColumn('handle', 'text', (column) => column.primaryKey())
      .addColumn('agent', 'text', (column) => column.notNull())
      .addColumn('result_json', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('kept_results_by_end')
      .on('kept_results')
      .columns(['expires_at', 'bytes'])
      .execute()
    await db.schema
      .createTable('config_versions')
      .addColumn('version', 'bigint', (column) => column.primaryKey())
      .addColumn('author', 'text', (column) => column.notNull())
      .addColumn('message', 'text', (column) => column.notNull())
      .addColumn('pushed_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('mcp', 'text')
      .addColumn('rules', 'text')
      .addColumn('settings', 'text')
      .execute()
  },
}
