import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { sealFromEnvironment } from '../../vault/seal.ts'
import { loadServerSecrets } from './server-secrets.ts'

it('stays the same when the key for what is stored is changed, and changed again', async () => {
  const storage = await openStorage({ home: tempFolder().path })
  onTestFinished(async () => storage.close())
  const load = async (now: string, before?: string) =>
    loadServerSecrets(
      storage,
      sealFromEnvironment({ PORTOLAN_SECRET_KEY: now, PORTOLAN_SECRET_KEY_PREVIOUS: before }),
    )
  const first = await load('one')
  expect(await load('two', 'one')).toEqual(first)
  expect(await load('three', 'two')).toEqual(first)
  expect(await load('three')).toEqual(first)
  await expect(load('one')).rejects.toThrow('another one')
})
