import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { testSavedScripts } from '../../../test/support/test-saved-scripts.ts'
import { openStorage } from '../../storage/open-storage.ts'
import { onTestFinished } from 'vitest'

testSavedScripts('SQLite', async () => {
  const storage = await openStorage({ home: tempFolder().path })
  onTestFinished(async () => storage.close())
  return storage
})

testSavedScripts('PostgreSQL', async () => (await openTestDatabase()).storage)
