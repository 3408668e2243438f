import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../storage.ts'

/**
 * `column in (…)` with the whole list as one parameter: the statement reads the same for any number of
 * ids, so that it is prepared once, and not again for each length.
 */
export function among(engine: Engine, column: string, ids: readonly string[]): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`${sql.ref(column)} = any(${ids}::text[])`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`
}
