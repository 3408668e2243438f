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
