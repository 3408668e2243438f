import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { openStorage } from './open-storage.ts'
import { storageFailure } from './storage-failure.ts'

const PAGE = 4096

async function aDatabase(): Promise<{ readonly home: string; readonly file: string }> {
  const home = tempFolder().path
  const storage = await openStorage({ home })
  await sql`create table filler (text text)`.execute(storage.db)
  for (let n = 0; n < 200; n++)
    await sql`insert into filler values (${'x'.repeat(1000)})`.execute(storage.db)
  await sql`pragma wal_checkpoint(truncate)`.execute(storage.db)
  await storage.close()
  return { home, file: join(home, 'portolan.db') }
}

async function overwrite(file: string, from: number, to: number): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(to - from, 0xa5), 0, to - from, from)
  await handle.close()
}

it('names a file that is no database damaged', async () => {
  const { home, file } = await aDatabase()
  await overwrite(file, 0, 200)
  const failure = await openStorage({ home }).catch(storageFailure)
  expect(failure).toBe('malformed')
})

it('is not well from the moment a query has found a damaged page', async () => {
  const { home, file } = await aDatabase()
  const { length } = await readFile(file)
  const pages = Math.floor(length / PAGE)
  await overwrite(file, (pages - 20) * PAGE, pages * PAGE)
  const storage = await openStorage({ home })
  onTestFinished(async () => storage.close())
  await expect(storage.ping()).resolves.toBeUndefined()
  const failure = await sql`select sum(length(text)) from filler`
    .execute(storage.db)
    .catch(storageFailure)
  expect(failure).toBe('malformed')
  await expect(storage.ping()).rejects.toThrow(/malformed/)
})
