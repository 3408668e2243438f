import { hasCode } from '../../base/errors.ts'
import {
  type Kysely,
  sql,
  type KyselyPlugin,
  OperationNodeTransformer,
  type QueryId,
  type RawNode,
  TableNode,
} from 'kysely'
import type { Database } from '../database.ts'

const DEFAULT_SCHEMA = 'portolan'

/**
 * Returns the schema of Portolan's tables. They have their own, so that they do not collide with
 * those of an application in the same database. Tables that version 0.1 created in the first schema
 * of the search path, mostly `public`, stay there.
 */
export async function chooseSchema(db: Kysely<Database>): Promise<string> {
  // Other products have a table of that name, too, with other columns.
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_class
      join pg_namespace on pg_namespace.oid = relnamespace
      where pg_class.oid = to_regclass('schema_migrations') and nspname <> ${DEFAULT_SCHEMA}
        and to_regclass(${`${DEFAULT_SCHEMA}.schema_migrations`}) is null
        and 2 = (select count(*) from pg_attribute
          where attrelid = pg_class.oid and attname in ('name', 'applied_at'))`.execute(db)
  const [found] = rows
  if (!found) return DEFAULT_SCHEMA
  const ours = await db
    .withSchema(found.schema)
    .selectFrom('schema_migrations')
    .select('name')
    .where('name', '=', '0001-accounts')
    .execute()
  return ours.length > 0 ? found.schema : DEFAULT_SCHEMA
}

const UNIQUE_VIOLATION = '23505'

/** Creates the schema if it is missing; a role without that right may use an existing one. */
export async function ensureSchema(db: Kysely<Database>, schema: string): Promise<void> {
  const { rows } = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(db)
  if (rows.length > 0) return
  try {
    await sql`create schema if not exists ${sql.id(schema)}`.execute(db)
  } catch (error) {
    // A replica that started at the same time created it first.
    if (hasCode(error, UNIQUE_VIOLATION)) return
    throw new Error(
      `the schema "${schema}" cannot be created. Run \`create schema ${schema} authorization <role>\` once, or set PORTOLAN_DATABASE_SCHEMA to a schema that the role may create tables in`,
      { cause: error },
    )
  }
}

/**
 * Qualifies every table name with the schema. A search path would be shorter, but it belongs to a
 * connection, and a pool in transaction mode may use another connection for each statement.
 */
export function inSchema(db: Kysely<Database>, schema: string): Kysely<Database> {
  return db.withSchema(schema).withPlugin(qualifyRawTables(schema))
}

/** Qualifies `sql.table` in raw statements; Kysely does it only for its query builders. */
function qualifyRawTables(schema: string): KyselyPlugin {
  const transformer = new RawTables(schema)
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  }
}

class RawTables extends OperationNodeTransformer {
  readonly #schema: string

  constructor(schema: string) {
    super()
    this.#schema = schema
  }

  protected override transformRaw(node: RawNode, queryId?: QueryId): RawNode {
    const parameters = node.parameters.map((parameter) =>
      TableNode.is(parameter) && !parameter.table.schema
        ? TableNode.createWithSchema(this.#schema, parameter.table.identifier.name)
        : parameter,
    )
    return super.transformRaw({ ...node, parameters }, queryId)
  }
}
