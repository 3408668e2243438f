import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { testSavedScripts } from '../../../test/support/test-saved-scripts.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { Db, Storage } from '../../storage/storage.ts'
import { copyScripts, openSavedScripts } from './open-saved-scripts.ts'
import { openScriptFolder } from './script-folder.ts'
import { openScriptTable } from './script-table.ts'

testSavedScripts('files', async () => openScriptFolder(tempFolder().path))

testSavedScripts('PostgreSQL', async () => openScriptTable((await openTestDatabase()).storage))

/** As an earlier version left them: one in use, with a newer proposal, and one that is not. */
async function leaveOld(db: Db): Promise<void> {
  const version = { description: 'Does it', input_schema_json: '{"type":"object"}', author: 'ada' }
  const decided = { created_at: 1, decided_by: 'eve', decided_at: 2 }
  await db
    .insertInto('saved_scripts')
    .values([
      { name: 'used', active_version: 1 },
      { name: 'unused', active_version: null },
    ])
    .execute()
  await db
    .insertInto('saved_script_versions')
    .values([
      { ...version, ...decided, name: 'used', version: 1, source: 'first', state: 'approved' },
      { ...version, ...decided, name: 'used', version: 2, source: 'later', state: 'proposed' },
      { ...version, ...decided, name: 'unused', version: 1, source: 'x', state: 'rejected' },
    ])
    .execute()
}

it('takes over from an earlier version what is in use, once', async () => {
  const { path: home } = tempFolder()
  const old = await openStorage({ home })
  await leaveOld(old.db)
  await old.close()
  const { storage } = await openTestDatabase()
  await leaveOld(storage.db)
  for (const shared of [undefined, storage]) {
    const open = async () => openSavedScripts(home, shared)
    const [found, ...others] = await (await open()).list()
    expect(found).toMatchObject({
      name: 'used',
      source: 'first',
      state: 'approved',
      author: 'ada',
      approvedBy: 'eve',
    })
    expect(others).toEqual([])
    await (await open()).remove('used')
    expect(await (await open()).list()).toEqual([])
  }
})

const names = async (storage: Storage) =>
  (await (await openSavedScripts('', storage)).list()).map(({ name }) => name)

it('is copied to a database as it is in the data folder, or was in the rows of an earlier version', async () => {
  const { path: home } = tempFolder()
  const { storage: fromOld } = await openTestDatabase()
  await leaveOld(fromOld.db)
  await copyScripts(home, fromOld)
  expect(await names(fromOld)).toEqual(['used'])
  const inFiles = await openSavedScripts(home, undefined)
  const inputSchema = { type: 'object' }
  await inFiles.propose({ name: 'one', description: 'x', inputSchema, source: '1' }, 'ada')
  const { storage: fromFiles } = await openTestDatabase()
  await leaveOld(fromFiles.db)
  await copyScripts(home, fromFiles)
  expect(await names(fromFiles)).toEqual(['one'])
})

it('leaves out a file that is no script, and names it', async () => {
  const { path: home } = tempFolder()
  const scripts = await openSavedScripts(home, undefined)
  await scripts.save(
    { name: 'one', description: 'x', inputSchema: { type: 'object' }, source: '1' },
    'eve',
  )
  writeFileSync(join(home, 'scripts', 'by_hand.ts'), 'return 1')
  expect((await scripts.list()).map(({ name }) => name)).toEqual(['one'])
  expect(await scripts.problems()).toEqual(['by_hand.ts: It does not say what it does'])
})
