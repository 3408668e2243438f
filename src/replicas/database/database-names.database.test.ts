import { afterAll, expect, inject, it } from 'vitest'
import { createDatabase } from '../../../test/support/postgres.ts'
import { testNamesNotices, testNamesStore } from '../../../test/support/test-names-store.ts'
import { openDatabase } from './open-database.ts'

const url = await createDatabase(inject('postgresUrl'))
const databases = [await openDatabase(url, {}), await openDatabase(url, {})] as const
afterAll(async () => {
  for (const database of databases) await database.close()
})

const open = async (source: string) =>
  [databases[0].names(source), databases[1].names(source)] as const

testNamesStore('PostgreSQL', { open })
testNamesNotices('PostgreSQL', { open })

it('names of a configuration that no replica has used for three months are removed', async () => {
  const [{ storage }] = databases
  const { db } = storage
  const [old] = await open('old')
  const [used] = await open('used')
  await old.replace('', 'old')
  await used.replace('', 'used')
  const row = db.selectFrom('given_names').select('source').where('body', '=', 'old')
  await db
    .updateTable('given_names')
    .set({ updated_at: Date.now() - 91 * 86_400_000 })
    .where('source', 'in', row)
    .execute()
  expect(await used.replace('used', 'still used')).toBe(true)
  expect([await old.read(), await used.read()]).toEqual(['', 'still used'])
})
