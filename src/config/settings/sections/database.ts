import { z } from 'zod'
import { count, section } from '../section.ts'

/** What replicas store in a shared PostgreSQL, whose address is PORTOLAN_DATABASE_URL. */
export const database = section(
  'What is kept in the PostgreSQL of PORTOLAN_DATABASE_URL, and for how long.',
  {
    auditDays: count
      .default(30)
      .describe(
        'Days that the record of calls can be searched: as long as your policy asks for, or allows.',
      ),
    auditIndex: z
      .boolean()
      .default(true)
      .describe(
        'Whether the record of calls is also written to the database, to search it. Turn it off if it must not leave the machines or is exported anyway.',
      ),
  },
)
