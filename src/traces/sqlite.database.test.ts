import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { testSemanticSearch } from '../../test/support/test-semantic-search.ts'
import { type Place, testTracesApi } from '../../test/support/test-traces-api.ts'
import { testCommunity } from '../../test/support/test-traces-community.ts'
import { testReports } from '../../test/support/test-traces-reports.ts'

async function fresh(): Promise<Place> {
  const folder = await temporaryFolder()
  return { home: folder.path, remove: async () => folder.remove() }
}

testTracesApi('SQLite', fresh)
testCommunity('SQLite', fresh)
testReports('SQLite', fresh)
testSemanticSearch('SQLite', fresh)
