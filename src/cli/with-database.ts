import type { SharedDatabase } from '../database/open-database.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Uses the database that DATABASE_URL names, if it does; a person at a prompt does not wait for it. */
export async function withDatabase<Result>(
  env: Env,
  use: (database: SharedDatabase | undefined) => Promise<Result>,
): Promise<Result> {
  const url = env['DATABASE_URL']
  if (!url) return use(undefined)
  const { openDatabase } = await import('../database/open-database.ts')
  const database = await openDatabase(url, { DATABASE_WAIT_MS: '0', ...env })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}
