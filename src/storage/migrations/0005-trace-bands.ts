import type { Migration } from '../migrate.ts'

/** Bands that near-identical texts share, so that an index finds them without comparing texts. */
export const traceBands: Migration = {
  name: '0005-trace-bands',
  async up(db) {
    await db.schema
      .createTable('trace_bands')
      .addColumn('trace_id', 'text', (column) =>
        column.notNull().references('traces.id').onDelete('cascade'),
      )
      .addColumn('band', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('trace_bands_pk', ['band', 'trace_id'])
      .execute()
    await db.schema
      .createIndex('trace_bands_by_trace')
      .on('trace_bands')
      .column('trace_id')
      .execute()
  },
}
