import type { Environment } from '../base/environment.ts'
import { sharedServicesFrom } from '../config/shared-services.ts'
import type { DatabaseHealth, SharedDatabase } from '../replicas/database/open-database.ts'
import type { SharedRedis } from '../replicas/redis/shared-redis.ts'
import type { Storage } from '../storage/storage.ts'
import type { RedisClient, RedisState } from '../replicas/redis/redis-client.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Log } from '../telemetry/log.ts'
import type { Catalog } from '../gateway/catalog.ts'
import type { RedisBus } from '../replicas/redis/redis-bus.ts'
import type { StoredConfig } from '../config/stored.ts'
import { GatewayError } from '../gateway/errors.ts'

/** The services that replicas share: PostgreSQL for lasting data, Redis for short-lived data. */
export interface ReplicaServices {
  readonly storage: Storage | undefined
  /** The stores in PostgreSQL, each with the interface of the embedded one. */
  readonly database: SharedDatabase | undefined
  readonly redis: SharedRedis | undefined
  /** The health of each service; undefined for one that is not used. */
  health(): SharedHealth
  close(): Promise<void>
}

export interface SharedHealth {
  readonly database: DatabaseHealth | undefined
}

/** A single process: everything is in its memory and in its data folder. */
export const ALONE: ReplicaServices = {
  storage: undefined,
  database: undefined,
  redis: undefined,
  health: () => ({ database: undefined }),
  close: async () => {},
}

/**
 * Opens the services that the environment names; their drivers are loaded only then. `onWait` is
 * called once if the database has to be waited for.
 */
export async function openShared(
  env: Environment,
  onWait: (problem: string) => void = () => undefined,
): Promise<ReplicaServices> {
  const { databaseUrl, redisUrl } = sharedServicesFrom(env)
  if (!databaseUrl && !redisUrl) return ALONE
  const database = databaseUrl
    ? await (
        await import('../replicas/database/open-database.ts')
      ).openDatabase(databaseUrl, env, onWait)
    : undefined
  const redis = await openSharedRedis(env)
  return {
    storage: database?.storage,
    database,
    redis,
    health: () => ({ database: database?.health() }),
    async close() {
      redis?.client.close()
      await database?.close()
    },
  }
}

/** Opens the Redis that the environment names, if any. */
export async function openSharedRedis(env: Environment): Promise<SharedRedis | undefined> {
  const { redisUrl, redisTimeoutMs } = sharedServicesFrom(env)
  if (redisUrl === undefined) return undefined
  const [{ openRedis }, { createSharedRedis }] = await Promise.all([
    import('../replicas/redis/open-redis.ts'),
    import('../replicas/redis/shared-redis.ts'),
  ])
  return createSharedRedis(openRedis(redisUrl, redisTimeoutMs))
}

const MEANWHILE = 'limits and cache are those of this replica alone'
/** How long Redis may take to answer at the start before it is reported missing. */
const FIRST_ANSWER_MS = 1000

/** Logs once when Redis is lost and once when it is back. */
export function watchRedis(redis: RedisClient, log: Log): void {
  const missing = ({ error }: RedisState & { up: false }) =>
    log.warn(`Redis does not answer: ${MEANWHILE}`, { error })
  redis.onChange((state) => {
    if (state.up) log.info('Redis answers: limits and cache are shared')
    else missing(state)
  })
  const timer = setTimeout(() => {
    if (!redis.state.up) missing(redis.state)
  }, FIRST_ANSWER_MS)
  timer.unref()
}

/** Describes the state of Redis for get_gateway_status. */
export function describeRedis(redis: RedisClient | undefined): JsonObject {
  if (!redis) return {}
  const { state } = redis
  if (state.up) return { redis: { state: 'up' } }
  const since = new Date(state.since).toISOString()
  return { redis: { state: 'down', since, error: state.error, meanwhile: MEANWHILE } }
}

const CHANNEL = 'lists'
const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/
/** Waits this long, so that several notices of one change list the server once. */
const SETTLE_MS = 200

/**
 * All replicas use the same remote servers: the one that is notified of changed lists notifies the
 * others, which list the server again and notify their clients only of what is new to them. A child
 * process belongs to one replica. Returns a function to call with every notification.
 */
export function shareListChanges(
  bus: RedisBus,
  catalog: () => Catalog | undefined,
): (server: string, method: string) => void {
  const asking = new Set<string>()
  const isRemote = (server: string) => catalog()?.server(server)?.kind === 'http'

  bus.subscribe(CHANNEL, ({ server }) => {
    const name = String(server)
    if (!isRemote(name) || asking.has(name)) return
    asking.add(name)
    const timer = setTimeout(() => {
      asking.delete(name)
      // The process may have closed its folders meanwhile.
      void catalog()
        ?.server(name)
        ?.list({ again: true })
        .catch(() => undefined)
    }, SETTLE_MS)
    timer.unref()
  })

  return (server, method) => {
    if (LIST_CHANGED.test(method) && isRemote(server)) void bus.publish(CHANNEL, { server })
  }
}

/** Returns the configuration in the database, if PORTOLAN_CONFIG_SOURCE asks for it. */
export async function storedConfig(
  { database }: Pick<ReplicaServices, 'database'>,
  env: Environment,
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
