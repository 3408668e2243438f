import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const traceVectors: Migration = {
  name: '0004-trace-vectors',
  async up(db, engine) {
    if (engine === 'postgres') await enableVectors(db)
    await db.schema
      .createTable('trace_vectors')
      .addColumn('trace_id', 'text', (column) =>
        column.notNull().references('traces.id').onDelete('cascade'),
      )
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('dimensions', 'integer', (column) => column.notNull())
      .addColumn('embedding', engine === 'postgres' ? sql`vector` : 'blob', (column) =>
        column.notNull(),
      )
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('trace_vectors_pk', ['trace_id', 'model'])
      .execute()
    await db.schema
      .createIndex('trace_vectors_by_revision')
      .on('trace_vectors')
      .columns(['model', 'revision'])
      .execute()
  },
}

/** A role without the right to create it may still use an extension that is already there. */
async function enableVectors(db: Parameters<Migration['up']>[0]): Promise<void> {
  try {
    await sql`create extension if not exists vector`.execute(db)
  } catch (error) {
    throw new Error(
      'PostgreSQL has no pgvector: install it (Debian: postgresql-<version>-pgvector) and run `create extension vector` once as a superuser',
      { cause: error },
    )
  }
}
