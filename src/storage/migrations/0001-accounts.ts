import type { Migration } from '../migrate.ts'

export const accounts: Migration = {
  name: '0001-accounts',
  async up(db) {
    await db.schema
      .createTable('accounts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('email', 'text')
      .addColumn('email_key', 'text', (column) => column.unique())
      .addColumn('key_hash', 'text', (column) => column.notNull().unique())
      .addColumn('revoked_at', 'bigint')
      .addColumn('display_name', 'text')
      .addColumn('reputation_score', 'double precision', (column) => column.notNull().defaultTo(0))
      .addColumn('is_seed', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('is_moderator', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('can_contribute', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('entry_door', 'text')
      .addColumn('invited_by', 'text')
      .addColumn('invites_remaining', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('country_code', 'text')
      .addColumn('platform', 'text')
      .addColumn('skill_version', 'text')
      .addColumn('install_source', 'text')
      .addColumn('last_seen_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('invitations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('code_hash', 'text', (column) => column.notNull().unique())
      .addColumn('created_by', 'text')
      .addColumn('redeemed_by', 'text')
      .addColumn('door', 'text', (column) => column.notNull())
      .addColumn('note', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('redeemed_at', 'bigint')
      .execute()
    await db.schema
      .createTable('counters')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('daily_counts')
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('value', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('daily_counts_pk', ['day', 'name'])
      .execute()
  },
}
