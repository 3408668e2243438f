import type { Migration } from '../migrate.ts'

export const emailVerification: Migration = {
  name: '0012-email-verification',
  async up(db) {
    await db.schema.alterTable('accounts').addColumn('email_verified_at', 'bigint').execute()
    await db.schema.alterTable('accounts').addColumn('verification_hash', 'text').execute()
    await db.schema.alterTable('accounts').addColumn('verification_expires_at', 'bigint').execute()
    await db.schema
      .createIndex('accounts_by_verification')
      .on('accounts')
      .column('verification_hash')
      .execute()
  },
}
