import type { LoadOptions } from '../config/load.ts'
import { withDatabase } from './with-database.ts'

/** Reads the configuration where a gateway with this environment would: in files, or in the database. */
export async function withStoredConfig(load: LoadOptions): Promise<LoadOptions> {
  const env = load.env ?? process.env
  if (!env['PORTOLAN_CONFIG_SOURCE']) return load
  const { storedConfig } = await import('../app/shared.ts')
  const stored = await withDatabase(env, async (database) => storedConfig({ database }, env))
  return { ...load, stored }
}
