import { inject, onTestFinished } from 'vitest'
import { type SharedDatabase, openDatabase } from '../../src/replicas/database/open-database.ts'
import { createDatabase } from './postgres.ts'
import type { Later } from './temp-folder.ts'

type Env = Readonly<Record<string, string>>

/** Opens a new, empty database as one replica. */
export async function openTestDatabase(env: Env = {}, later?: Later): Promise<SharedDatabase> {
  const [database] = await openReplicas(1, env, later)
  if (!database) throw new Error('No database')
  return database
}

/** Opens one new database as several replicas. */
export async function openReplicas(
  count: number,
  env: Env = {},
  later: Later = onTestFinished,
): Promise<SharedDatabase[]> {
  const url = await createDatabase(inject('postgresUrl'))
  const opened = await Promise.all(
    Array.from({ length: count }, async () =>
      openDatabase(url, { PORTOLAN_DATABASE_POOL_SIZE: '4', ...env }),
    ),
  )
  later(async () => void (await Promise.all(opened.map(async (each) => each.close()))))
  return opened
}
