import { testStorage } from '../../test/support/test-storage.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

testStorage('SQLite', {
  async fresh() {
    const folder = await temporaryFolder()
    return { home: folder.path, remove: async () => folder.remove() }
  },
})
