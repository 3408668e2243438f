import { type Transaction, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Engine } from '../storage.ts'
import { fromVectorColumn, toVectorColumn } from '../vectors.ts'

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

/** Encodes a row as JSON. Vectors are in columns named `embedding`; other bytes are kept as is. */
export function toPortable(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (column === 'embedding' && value !== null)
        return [column, { $f32: toBase64(fromVectorColumn(value)) }]
      if (value instanceof ArrayBuffer) return [column, toBytes(Buffer.from(value))]
      if (Buffer.isBuffer(value)) return [column, toBytes(value)]
      return [column, value]
    }),
  )
}

export function fromPortable(row: Row, engine: Engine): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, revive(value, engine)]),
  )
}

function revive(value: unknown, engine: Engine): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('$f32' in value) {
    const bytes = new Uint8Array(Buffer.from(String(value.$f32), 'base64'))
    return toVectorColumn(new Float32Array(bytes.buffer), engine)
  }
  return '$bytes' in value ? Buffer.from(String(value.$bytes), 'base64') : value
}

function toBytes(value: Buffer): { $bytes: string } {
  return { $bytes: value.toString('base64') }
}

function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}
