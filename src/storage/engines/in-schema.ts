import {
  type Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type QueryId,
  type RawNode,
  TableNode,
} from 'kysely'
import type { Database } from '../database.ts'

/**
 * The same database with every table named with its schema. A search path would be shorter, but it
 * belongs to a connection, and a pool in transaction mode gives each statement another one.
 */
export function inSchema(db: Kysely<Database>, schema: string): Kysely<Database> {
  return db.withSchema(schema).withPlugin(qualifyRawTables(schema))
}

/** Kysely does it for what its builders name; this is for `sql.table` in raw statements. */
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
