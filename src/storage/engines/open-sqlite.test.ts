import { execFileSync } from 'node:child_process'
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { packageFile } from '../../base/files/package-files.ts'
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

it('keeps the log of a process that opens its file twice, when another process closes it', async () => {
  const file = tempFolder().file('portolan.db')
  const db = openSqlite(file, () => undefined)
  await sql`create table t (a)`.execute(db)
  await openSqlite(file, () => undefined).destroy()
  const count = () => {
    const program = `
      const db = new (require('libsql'))(process.argv[1])
      console.log(db.prepare('select count(*) as n from t').get().n)
      db.close()`
    const root = packageFile('.')
    return execFileSync(process.execPath, ['-e', program, file], { cwd: root, encoding: 'utf8' })
  }
  expect(count().trim()).toBe('0')
  await sql`insert into t values (1)`.execute(db)
  expect(count().trim(), 'as its log was not deleted').toBe('1')
  await db.destroy()
})
