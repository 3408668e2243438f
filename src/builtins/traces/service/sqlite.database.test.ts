import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { testKnowledgeHealth } from '../../../../test/support/test-knowledge-health.ts'
import { testSearchCost } from '../../../../test/support/test-search-cost.ts'
import { testSemanticSearch } from '../../../../test/support/test-semantic-search.ts'
import { testTracesApi } from '../../../../test/support/test-traces-api.ts'
import { testCommunity } from '../../../../test/support/test-traces-community.ts'
import { testReports } from '../../../../test/support/test-traces-reports.ts'

testTracesApi('SQLite')
testCommunity('SQLite')
testReports('SQLite')
testSemanticSearch('SQLite')
testKnowledgeHealth('SQLite', async () => ({ home: tempFolder().path }))
testSearchCost('SQLite')
