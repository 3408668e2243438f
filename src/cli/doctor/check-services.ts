import { reachRedis } from '../../replicas/redis/reach-redis.ts'
import { reachPostgres } from '../../storage/engines/reach-postgres.ts'
import type { Environment } from '../../base/environment.ts'
import { formerNames } from '../../config/settings/former-names.ts'
import { sharedServicesFrom, sharedServicesWarning } from '../../config/shared-services.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { type Finding, findings, reasonOf } from './finding.ts'

const WAIT_MS = 5_000

/** Checks the services that replicas share, if configured. */
export async function checkServices(env: Environment): Promise<Finding[]> {
  const { databaseUrl, redisUrl } = sharedServicesFrom(env)
  const found = await Promise.all([checkDatabase(databaseUrl), checkRedis(redisUrl)])
  const { ok, warn } = findings('services')
  const shared = sharedServicesWarning(env)
  return [
    ...found.filter((finding) => finding !== undefined),
    ...(shared ? [warn(shared.message, shared.fix)] : []),
    ...formerNames(env).map(ok),
  ]
}

async function checkDatabase(url: string | undefined): Promise<Finding | undefined> {
  if (url === undefined) return undefined
  const { ok, warn, fail } = findings('database')
  try {
    const { version, hasVectors } = await reachPostgres(url)
    if (hasVectors) return ok(`PostgreSQL ${version} with pgvector`)
    return warn(
      `PostgreSQL ${version} has no pgvector: traces and knowledge are searched by words only`,
      `For search by meaning, install it there (Debian: postgresql-${version.split('.')[0]}-pgvector).`,
    )
  } catch (error) {
    return fail(
      `PORTOLAN_DATABASE_URL: ${hide(reasonOf(error))}`,
      'Start the database, correct PORTOLAN_DATABASE_URL, or unset it to keep data in the data folder.',
    )
  }
}

async function checkRedis(url: string | undefined): Promise<Finding | undefined> {
  if (url === undefined) return undefined
  const { ok, fail } = findings('redis')
  try {
    await reachRedis(url, WAIT_MS)
    return ok('Redis answers')
  } catch (error) {
    return fail(
      `PORTOLAN_REDIS_URL: ${hide(reasonOf(error))}`,
      'Start Redis, correct PORTOLAN_REDIS_URL, or unset it.',
    )
  }
}
