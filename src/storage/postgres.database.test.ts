import { inject } from 'vitest'
import { createDatabase } from '../../test/support/postgres.ts'
import { testStorage } from '../../test/support/test-storage.ts'

testStorage('PostgreSQL', {
  async fresh() {
    const databaseUrl = await createDatabase(inject('postgresUrl'))
    return { home: '', databaseUrl, remove: async () => {} }
  },
})
