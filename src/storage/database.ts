import type { KnowledgeTables } from './tables/knowledge-tables.ts'
import type { ScriptTables } from './tables/script-tables.ts'
import type { SharedTables } from './tables/shared-tables.ts'
import type { SignInTables } from './tables/sign-in-tables.ts'
import type { TraceTables } from './tables/trace-tables.ts'

/**
 * The schema as Kysely sees it. Conventions on both engines: ids are text, timestamps are
 * milliseconds since the epoch, booleans are 1 and 0, JSON is text in columns named `…_json`.
 */
export interface Database
  extends TraceTables, KnowledgeTables, SharedTables, SignInTables, ScriptTables {
  schema_migrations: { name: string; applied_at: number }
}
