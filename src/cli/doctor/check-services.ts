import { reachRedis } from '../../redis/reach-redis.ts'
import { reachPostgres } from '../../storage/reach-postgres.ts'
import type { Environment } from '../../config/variables.ts'
import { hide } from '../../base/secrets.ts'
import { type Finding, findings, reasonOf } from './finding.ts'

const WAIT_MS = 5_000

/** The services that replicas share, where they are configured. */
export async function checkServices(env: Environment): Promise<Finding[]> {
  const found = await Promise.all([checkDatabase(env), checkRedis(env)])
  return found.filter((finding) => finding !== undefined)
}

async function checkDatabase({ DATABASE_URL: url }: Environment): Promise<Finding | undefined> {
  if (!url) return undefined
  const { ok, warn, fail } = findings('database')
  try {
    const { version, hasVectors } = await reachPostgres(url)
    if (hasVectors) return ok(`PostgreSQL ${version} with pgvector`)
    return warn(
      `PostgreSQL ${version} without pgvector`,
      'Install pgvector there for search by meaning.',
    )
  } catch (error) {
    return fail(
      `DATABASE_URL: ${hide(reasonOf(error))}`,
      'Start the database, mend DATABASE_URL, or unset it to keep data in the data folder.',
    )
  }
}

async function checkRedis({ REDIS_URL: url }: Environment): Promise<Finding | undefined> {
  if (!url) return undefined
  const { ok, fail } = findings('redis')
  try {
    await reachRedis(url, WAIT_MS)
    return ok('Redis answers')
  } catch (error) {
    return fail(`REDIS_URL: ${hide(reasonOf(error))}`, 'Start Redis, mend REDIS_URL, or unset it.')
  }
}
