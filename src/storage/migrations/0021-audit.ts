import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/**
 * The searchable audit record of all replicas. On PostgreSQL it is partitioned by day: old entries
 * are removed by dropping a table, and a search by time reads only the days it needs.
 */
export const audit: Migration = {
  name: '0021-audit',
  async up(db, engine) {
    const byDay = engine === 'postgres' ? sql`partition by range (at)` : sql``
    await sql`create table ${sql.table('audit_entries')} (
      at bigint not null,
      id text not null,
      agent text,
      server text,
      tool text,
      decision text not null,
      line text not null,
      primary key (at, id)
    ) ${byDay}`.execute(db)
    if (engine === 'postgres')
      await sql`create table ${sql.table('audit_entries_other')} partition of ${sql.table('audit_entries')} default`.execute(
        db,
      )
    await sql`create index audit_by_agent on ${sql.table('audit_entries')} (agent, at)`.execute(db)
    await sql`create index audit_by_tool on ${sql.table('audit_entries')} (server, tool, at)`.execute(
      db,
    )
    // Nearly every call is allowed, and searches by decision are for the others.
    await sql`create index audit_not_allowed on ${sql.table('audit_entries')} (decision, at)
      where decision <> 'ALLOW'`.execute(db)
  },
}
