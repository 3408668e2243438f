import type { Migration } from '../migrate.ts'
import { vectorColumnType } from '../vectors.ts'

export const traceVectors: Migration = {
  name: '0004-trace-vectors',
  async up(db, engine) {
    await db.schema
      .createTable('trace_vectors')
      .addColumn('trace_id', 'text', (column) =>
        column.notNull().references('traces.id').onDelete('cascade'),
      )
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('dimensions', 'integer', (column) => column.notNull())
      .addColumn('embedding', await vectorColumnType(db, engine), (column) => column.notNull())
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
