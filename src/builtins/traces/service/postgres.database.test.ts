import { inject } from 'vitest'
import { createDatabase } from '../../../../test/support/postgres.ts'
import { testKnowledgeHealth } from '../../../../test/support/test-knowledge-health.ts'
import { testSearchCost } from '../../../../test/support/test-search-cost.ts'
import { testSemanticSearch } from '../../../../test/support/test-semantic-search.ts'
import { testTracesApi } from '../../../../test/support/test-traces-api.ts'
import { testCommunity } from '../../../../test/support/test-traces-community.ts'
import type { Fresh } from '../../../../test/support/traces-suite.ts'
import { testReports } from '../../../../test/support/test-traces-reports.ts'

const fresh: Fresh = async () => ({
  home: '',
  databaseUrl: await createDatabase(inject('postgresUrl')),
})

testTracesApi('PostgreSQL', fresh)
testCommunity('PostgreSQL', fresh)
testReports('PostgreSQL', fresh)
testSemanticSearch('PostgreSQL', fresh)
testKnowledgeHealth('PostgreSQL', fresh)
testSearchCost('PostgreSQL', fresh)
