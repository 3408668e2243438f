import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openSqlite } from './open-sqlite.ts'

it.skipIf(process.platform === 'win32')('keeps its files for their owner alone', async () => {
  const folder = tempFolder()
  chmodSync(folder.path, 0o755)
  const file = folder.file('home/portolan.db')
  const modes = async () => {
    const db = openSqlite(file, () => undefined)
    await sql`create table if not exists t (a)`.execute(db)
    const found = ['', '-wal', '-shm'].map((end) => statSync(`${file}${end}`).mode & 0o777)
    await db.destroy()
    return found
  }
  expect(await modes()).toEqual([0o600, 0o600, 0o600])
  expect(statSync(folder.file('home')).mode & 0o777).toBe(0o700)
  chmodSync(file, 0o644)
  expect(await modes(), 'of an earlier version').toEqual([0o600, 0o600, 0o600])
  const other = folder.file('portolan.db')
  writeFileSync(other, '')
  chmodSync(other, 0o644)
  const db = openSqlite(other, () => undefined)
  await db.destroy()
  expect(statSync(other).mode & 0o777).toBe(0o600)
})
