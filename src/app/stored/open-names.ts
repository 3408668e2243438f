import type { Config } from '../../config/load.ts'
import type { NamesStore } from '../../gateway/names/names-store.ts'
import type { Shared } from '../shared.ts'

/**
 * Opens the store of the names that clients were shown: the database that replicas share, else
 * their Redis, else the data folder. Each configuration has its own: several projects of a person
 * use one data folder, and the same name means another tool in each of them. The names of a
 * standalone server never change, so nothing is stored.
 */
export async function openNames(
  { paths, settings }: Config,
  { database, redis }: Pick<Shared, 'database' | 'redis'>,
): Promise<NamesStore | undefined> {
  const source = paths.mcp
  if (source === undefined) return undefined
  if (database) return database.names(source)
  if (redis) return redis.names(source)
  const { createNamesFile } = await import('./names-file.ts')
  return createNamesFile(settings.home, source)
}
