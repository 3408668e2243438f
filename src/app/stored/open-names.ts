import type { Config } from '../../config/load.ts'
import type { NamesStore } from '../../gateway/names/names-store.ts'
import type { Shared } from '../shared.ts'

/**
 * Where the names that clients were shown are stored: in the database that replicas share, else in their
 * Redis, else in the data folder. For each configuration by itself: several projects of a person use one
 * data folder, and the same name means another tool in each of them. A server that runs by itself has
 * names that never change, so that nothing is stored.
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
