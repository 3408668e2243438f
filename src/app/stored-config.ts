import type { StoredConfig } from '../config/stored.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Shared } from './shared.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The configuration in the database, where PORTOLAN_CONFIG_SOURCE asks for it. */
export async function storedConfig(
  { database }: Pick<Shared, 'database'>,
  env: Env,
): Promise<StoredConfig | undefined> {
  const source = env['PORTOLAN_CONFIG_SOURCE'] || 'files'
  if (source === 'files') return undefined
  if (source !== 'database')
    throw invalid(`PORTOLAN_CONFIG_SOURCE is "${source}"`, 'It must be "files" or "database".')
  if (!database)
    throw invalid(
      'PORTOLAN_CONFIG_SOURCE=database needs PORTOLAN_DATABASE_URL',
      'Set it to the postgres:// address that the configuration was pushed to.',
    )
  return database.config()
}

function invalid(message: string, hint: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', message, { hint })
}
