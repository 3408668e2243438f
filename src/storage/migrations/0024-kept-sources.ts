import type { Migration } from '../migrate.ts'

/** The server and the tool that gave a kept result, so that rights are checked when it is read. */
export const keptSources: Migration = {
  name: '0024-kept-sources',
  async up(db) {
    await db.schema.alterTable('kept_results').addColumn('server', 'text').execute()
    await db.schema.alterTable('kept_results').addColumn('tool', 'text').execute()
  },
}
