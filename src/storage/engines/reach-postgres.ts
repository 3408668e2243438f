import { sql } from 'kysely'
import { openPostgres } from './open-postgres.ts'

export interface ReachedPostgres {
  readonly version: string
  /** Whether it can store vectors: the extension is installed or available. */
  readonly hasVectors: boolean
}

/** Queries the version and the extensions of a server without changing it. */
export async function reachPostgres(databaseUrl: string): Promise<ReachedPostgres> {
  const db = openPostgres(databaseUrl)
  try {
    const { rows } = await sql<{ version: string; vectors: string }>`
      select current_setting('server_version') as version,
        (select count(*) from pg_available_extensions where name = 'vector') as vectors`.execute(db)
    const [row] = rows
    return { version: row?.version ?? '', hasVectors: Number(row?.vectors ?? 0) > 0 }
  } finally {
    await db.destroy()
  }
}
