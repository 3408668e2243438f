import type { Environment } from '../../base/environment.ts'
import { sharedServicesFrom } from '../../config/shared-services.ts'
import type { SharedDatabase } from '../../replicas/database/open-database.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Storage } from '../../storage/storage.ts'
import type { LoadOptions } from '../../config/load.ts'

/** Opens the database that the environment names, if any; by default does not wait for it. */
export async function withDatabase<Result>(
  env: Environment,
  use: (database: SharedDatabase | undefined) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl } = sharedServicesFrom(env)
  if (databaseUrl === undefined) return use(undefined)
  const { openDatabase } = await import('../../replicas/database/open-database.ts')
  const database = await openDatabase(databaseUrl, { PORTOLAN_DATABASE_WAIT_MS: '0', ...env })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

/** The same, where the database must be named. */
export async function withStorage<Result>(
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  return withDatabase(process.env, async (database) => {
    if (database) return use(database.storage)
    throw new GatewayError('INVALID_PARAMS', 'PORTOLAN_DATABASE_URL is not set', {
      hint: 'Set it to the postgres:// address that the replicas use.',
    })
  })
}

/** Makes loading read files or the database, as a gateway with this environment would. */
export async function withStoredConfig(load: LoadOptions): Promise<LoadOptions> {
  const env = load.env ?? process.env
  if (!env['PORTOLAN_CONFIG_SOURCE']) return load
  const { storedConfig } = await import('../../app/shared.ts')
  const stored = await withDatabase(env, async (database) => storedConfig({ database }, env))
  return { ...load, stored }
}
