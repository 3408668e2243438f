import type { Migration } from '../migrate.ts'

/** Records of the authorization server, and users who sign in with a Portolan password. */
export const signIn: Migration = {
  name: '0030-sign-in',
  async up(db) {
    await db.schema
      .createTable('oauth_records')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('payload_json', 'text', (column) => column.notNull())
      .addColumn('grant_id', 'text')
      .addColumn('uid', 'text')
      .addColumn('consumed_at', 'bigint')
      .addColumn('expires_at', 'bigint')
      .addPrimaryKeyConstraint('oauth_records_pk', ['kind', 'id'])
      .execute()
    await db.schema
      .createIndex('oauth_records_by_grant')
      .on('oauth_records')
      .columns(['grant_id'])
      .execute()
    await db.schema
      .createIndex('oauth_records_by_uid')
      .on('oauth_records')
      .columns(['kind', 'uid'])
      .execute()
    await db.schema
      .createIndex('oauth_records_by_end')
      .on('oauth_records')
      .columns(['expires_at'])
      .execute()
    await db.schema
      .createTable('users')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('password_hash', 'text', (column) => column.notNull())
      .addColumn('groups_json', 'text', (column) => column.notNull())
      .addColumn('role', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
