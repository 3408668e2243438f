import { expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../../test/support/postgres.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createFileKeyStore } from '../../identity/file-key-store.ts'
import { createHandles } from '../../identity/handles.ts'
import { identityFiles } from '../../identity/identity-files.ts'
import { openStorage } from '../../storage/open-storage.ts'
import { openVault } from '../../identity/vault/open-vault.ts'
import { copyInstallation } from './copy-installation.ts'
import { openDatabase } from './open-database.ts'

const NAME = 'sign-in.server.person'
const OFF = { PORTOLAN_KEYRING: 'off' }

it('moves data, keys, sign-ins and the secret of handles to PostgreSQL', async () => {
  const home = tempFolder().path
  const files = identityFiles(home)
  const embedded = await openStorage({ home })
  await embedded.db.insertInto('tags').values({ name: 'kept', created_at: 1 }).execute()
  await embedded.close()
  const admin = await createFileKeyStore(files.keys).create('ada', { role: 'admin' })
  const handle = createHandles(files.handleSecret).mint({
    parent: { id: 'ada' },
    agent: 'helper',
    ttlMs: 60_000,
  })
  const tokens = { access_token: 'a', token_type: 'Bearer' }
  await openVault(home, OFF).record<object>(NAME).update({ tokens })

  const databaseUrl = await createDatabase(inject('postgresUrl'))
  const env = { ...OFF, PORTOLAN_SECRET_KEY: 'correct horse' }
  const copied = await copyInstallation({ home, databaseUrl, env })
  expect(copied).toMatchObject({ rows: 1, keys: 1, signIns: 1 })
  await expect(copyInstallation({ home, databaseUrl })).rejects.toThrow(/already holds data/)

  const database = await openDatabase(databaseUrl, env)
  onTestFinished(async () => database.close())
  expect(await database.keys(1).find(admin.secret)).toMatchObject({ agent: 'ada', role: 'admin' })
  expect(createHandles(database.handleSecret).verify(handle.secret).id).toBe('helper')
  expect(await database.vault.record(NAME).read()).toEqual({ tokens })
  // The folder stays as it is, with its own key.
  expect(await openVault(home, OFF).record(NAME).read()).toEqual({ tokens })
  expect(await database.storage.db.selectFrom('tags').select('name').execute()).toEqual([
    { name: 'kept' },
  ])
})
