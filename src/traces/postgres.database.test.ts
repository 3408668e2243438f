import { inject } from 'vitest'
import { createDatabase } from '../../test/support/postgres.ts'
import { testSemanticSearch } from '../../test/support/test-semantic-search.ts'
import { type Place, testTracesApi } from '../../test/support/test-traces-api.ts'
import { testCommunity } from '../../test/support/test-traces-community.ts'
import { testReports } from '../../test/support/test-traces-reports.ts'

async function fresh(): Promise<Place> {
  const databaseUrl = await createDatabase(inject('postgresUrl'))
  return { home: '', databaseUrl, remove: async () => {} }
}

testTracesApi('PostgreSQL', fresh)
testCommunity('PostgreSQL', fresh)
testReports('PostgreSQL', fresh)
testSemanticSearch('PostgreSQL', fresh)
