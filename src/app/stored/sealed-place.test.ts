import { existsSync, mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { identityFiles } from '../../identity/identity-files.ts'
import { SealedPlace } from './sealed-place.ts'

it('leaves no database open when the key of the seal cannot be read', async () => {
  const folder = tempFolder()
  mkdirSync(identityFiles(folder.path).vaultKey, { recursive: true })
  const place = new SealedPlace({
    home: folder.path,
    env: {},
    database: undefined,
    redis: undefined,
  })
  await expect(place.open()).rejects.toThrow('EISDIR')
  await place.close()
  // Long enough for a database that was being opened meanwhile.
  await sleep(500)
  expect(existsSync(folder.file('portolan.db'))).toBe(false)
})
