import type { Migration } from '../migrate.ts'

/**
 * The id of a person, which nobody else ever gets, and that of their account, which is another one
 * after each new password. People without them were made by an earlier version.
 */
export const userIds: Migration = {
  name: '0042-user-ids',
  async up(db) {
    await db.schema.alterTable('users').addColumn('id', 'text').execute()
    await db.schema.alterTable('users').addColumn('account_id', 'text').execute()
  },
}
