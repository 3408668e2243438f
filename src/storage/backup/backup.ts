import { createReadStream, createWriteStream } from 'node:fs'
import { access, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type Transaction, sql } from 'kysely'
import { type FileLine, FileRestore, readDataFiles } from './backup-files.ts'
import type { Database } from '../database.ts'
import { fromPortable, toPortable } from './rows.ts'
import { qualified } from '../sql/qualified.ts'
import { readRows } from './rows.ts'
import type { Storage } from '../storage.ts'
import { StorageError } from '../storage-failure.ts'
import { boundedLines } from './bounded-lines.ts'

/** The second format also contains files of the data folder. */
const FORMATS = ['portolan-backup-1', 'portolan-backup-2'] as const
const MAX_PARAMETERS = 30_000
const BATCH = 500

type Row = Record<string, unknown>

export interface BackupSummary {
  readonly tables: number
  readonly rows: number
  readonly files: number
}

/**
 * Writes a consistent snapshot of all rows, in a form that both engines can restore, and the files
 * of the data folder `home` that are not in the database; `instead` has other contents for some.
 */
export async function backupStorage(
  storage: Storage,
  file: string,
  home?: string,
  instead?: ReadonlyMap<string, string>,
): Promise<BackupSummary> {
  await access(dirname(file))
  const partial = `${file}.${process.pid}.partial`
  const summary = { tables: 0, rows: 0, files: 0 }
  try {
    await storage.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        await pipeline(
          Readable.from(lines(tx, storage.engine, { summary, home, instead })),
          createGzip(),
          createWriteStream(partial, { mode: 0o600 }),
        )
      })
    await sync(partial)
    await rename(partial, file)
  } finally {
    await rm(partial, { force: true })
  }
  return summary
}

/** Restores into an empty database only, all rows or none; then the files. */
export async function restoreStorage(
  storage: Storage,
  file: string,
  home?: string,
): Promise<BackupSummary> {
  if (home === undefined) return restoreRows(storage, file, undefined)
  const files = new FileRestore(home)
  try {
    await files.requireEmpty()
    const summary = await restoreRows(storage, file, files)
    await files.finish()
    return { ...summary, files: files.count }
  } finally {
    await files.discard()
  }
}

async function restoreRows(
  storage: Storage,
  file: string,
  files: FileRestore | undefined,
): Promise<BackupSummary> {
  const summary = { tables: 0, rows: 0, files: 0 }
  await storage.transaction(async (tx) => {
    const known = new Set(await tableNames(tx, storage.engine))
    await requireEmpty(tx, known)
    let table = ''
    let pending: Row[] = []
    const flush = async (): Promise<void> => {
      await insert(tx, table, pending)
      summary.rows += pending.length
      pending = []
    }
    for await (const [index, line] of numbered(file)) {
      if (index === 0) await checkHeader(tx, line)
      else if (isFileLine(line)) await files?.take(line)
      else if ('table' in line) {
        await flush()
        table = String(line['table'])
        if (!known.has(table)) throw new StorageError(`The backup has an unknown table: ${table}`)
        summary.tables += 1
      } else if (pending.push(fromPortable(line, storage.engine)) === BATCH) await flush()
    }
    await flush()
  })
  return summary
}

async function* lines(
  tx: Transaction<Database>,
  engine: Storage['engine'],
  {
    summary,
    home,
    instead,
  }: {
    summary: { tables: number; rows: number; files: number }
    home: string | undefined
    instead: ReadonlyMap<string, string> | undefined
  },
): AsyncGenerator<string> {
  const format = FORMATS[home === undefined ? 0 : 1]
  yield `${JSON.stringify({ format, migrations: await migrations(tx) })}\n`
  if (home !== undefined)
    for await (const piece of readDataFiles(home, instead)) {
      if (piece.data === '') summary.files += 1
      yield `${JSON.stringify(piece)}\n`
    }
  for (const table of await tableNames(tx, engine)) {
    yield `${JSON.stringify({ table })}\n`
    summary.tables += 1
    for await (const row of readRows(tx, engine, table)) {
      summary.rows += 1
      yield `${JSON.stringify(toPortable(row))}\n`
    }
  }
}

async function* numbered(file: string): AsyncGenerator<[number, Row]> {
  const source = createReadStream(file)
  const text = source.pipe(createGunzip())
  source.on('error', (error) => text.destroy(error))
  let index = 0
  for await (const line of boundedLines(text)) {
    yield [index, parseRow(line)]
    index += 1
  }
  if (index === 0) throw new StorageError(`${file} is not a Portolan backup`)
}

function parseRow(line: string): Row {
  const value = readJson(line)
  if (typeof value !== 'object' || value === null)
    throw new StorageError('A line of the backup is no row')
  return { ...value }
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new StorageError('A line of the backup is not JSON: the file is damaged', { cause })
  }
}

async function checkHeader(tx: Transaction<Database>, header: Row): Promise<void> {
  if (!FORMATS.some((known) => known === header['format']))
    throw new StorageError('This file is not a Portolan backup')
  const here = new Set(await migrations(tx))
  const there = Array.isArray(header['migrations']) ? header['migrations'].map(String) : []
  const missing = there.filter((name) => !here.has(name))
  if (missing.length > 0)
    throw new StorageError(
      `The backup was made by a newer Portolan (${missing.join(', ')}): update first, then restore`,
    )
}

function isFileLine(line: Row): line is Row & FileLine {
  return typeof line['file'] === 'string' && typeof line['data'] === 'string'
}

async function migrations(tx: Transaction<Database>): Promise<string[]> {
  const rows = await tx.selectFrom('schema_migrations').select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}

/** Lists the tables in creation order, so that a row comes after the rows it refers to. */
async function tableNames(tx: Transaction<Database>, engine: Storage['engine']): Promise<string[]> {
  const { rows } = await (
    engine === 'postgres'
      ? sql<{ name: string }>`select relname as name from pg_class
          where relkind in ('r', 'p') and not relispartition
            and relnamespace = (select relnamespace from pg_class
              where oid = ${qualified(tx, 'schema_migrations')}::regclass) order by oid`
      : sql<{ name: string }>`select name from sqlite_master
          where type = 'table' and name not like 'sqlite_%' order by rowid`
  ).execute(tx)
  return rows.map(({ name }) => name).filter((name) => name !== 'schema_migrations')
}

async function requireEmpty(tx: Transaction<Database>, tables: Iterable<string>): Promise<void> {
  for (const table of tables) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(tx)
    if (rows.length > 0)
      throw new StorageError(
        `The database already holds data (${table}): restore into an empty one, such as a new PORTOLAN_HOME`,
      )
  }
}

async function insert(tx: Transaction<Database>, table: string, rows: Row[]): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
  const size = Math.max(1, Math.floor(MAX_PARAMETERS / columns.length))
  for (let start = 0; start < rows.length; start += size) {
    const tuples = rows
      .slice(start, start + size)
      .map((row) => sql`(${sql.join(columns.map((column) => sql`${row[column]}`))})`)
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(tuples)}`.execute(tx)
  }
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.sync()
  await handle.close()
}
