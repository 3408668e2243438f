import { z } from 'zod'
import { MIB, count, lifetime, section } from '../section.ts'

/** What replicas store in a shared PostgreSQL, whose address is PORTOLAN_DATABASE_URL. */
export const database = section(
  'What is kept in the PostgreSQL of PORTOLAN_DATABASE_URL, and for how long.',
  {
    keyGraceMs: lifetime
      .default(900_000)
      .describe('How long keys that were in use still work while the database cannot be reached.'),
    auditDays: count.default(30).describe('Days that the record of calls can be searched.'),
    keptMaxBytes: count
      .default(1024 * MIB)
      .describe(
        'Maximum size of the stored results of all replicas; the oldest are removed first.',
      ),
    auditIndex: z
      .boolean()
      .default(true)
      .describe('Whether the record of calls is also written to the database, to search it.'),
  },
)
