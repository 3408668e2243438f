import { inject } from 'vitest'
import { createDatabase } from '../../../../test/support/postgres.ts'
import { testKnowledgeStore } from '../../../../test/support/test-knowledge-store.ts'

testKnowledgeStore('PostgreSQL with pgvector', async () => ({
  databaseUrl: await createDatabase(inject('postgresUrl')),
  vectors: { kind: 'pgvector' },
  remove: async () => {},
}))
