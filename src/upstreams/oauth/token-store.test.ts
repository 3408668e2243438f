import { tempFolder } from '../../../test/support/temp-folder.ts'
import { testTokenStore } from '../../../test/support/test-token-store.ts'
import { createTokenStore } from './token-store.ts'

testTokenStore('a file', {
  async open() {
    const { path } = tempFolder()
    const open = () => createTokenStore(path, 'https://example.com/mcp')
    return [open(), open()]
  },
})
