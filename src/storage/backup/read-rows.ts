import { type Transaction, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Engine } from '../storage.ts'

type Row = Record<string, unknown>

const PAGE = 1000

/** Reads all rows of a table, page by page, within the snapshot of the transaction. */
export async function* readRows(
  tx: Transaction<Database>,
  engine: Engine,
  table: string,
): AsyncGenerator<Row> {
  if (engine === 'postgres') yield* byCursor(tx, table)
  else yield* byRowid(tx, table)
}

async function* byCursor(tx: Transaction<Database>, table: string): AsyncGenerator<Row> {
  await sql`declare every_row no scroll cursor for select * from ${sql.table(table)}`.execute(tx)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.raw(String(PAGE))} from every_row`.execute(tx)
    yield* rows
    if (rows.length < PAGE) break
  }
  await sql`close every_row`.execute(tx)
}

async function* byRowid(tx: Transaction<Database>, table: string): AsyncGenerator<Row> {
  let after = 0
  for (;;) {
    const { rows } = await sql<Row>`select rowid as __rowid, * from ${sql.table(table)}
      where rowid > ${after} order by rowid limit ${PAGE}`.execute(tx)
    for (const { __rowid, ...row } of rows) {
      after = Number(__rowid)
      yield row
    }
    if (rows.length < PAGE) return
  }
}
