import type { RedisClient, RedisState } from '../replicas/redis/redis-client.ts'
import type { JsonObject } from '../base/json.ts'
import type { Log } from '../telemetry/log.ts'

const MEANWHILE = 'limits, cache and sessions are those of this replica alone'
/** A start has that long before it is said that Redis is not there. */
const FIRST_ANSWER_MS = 1000

/** Says when Redis goes and when it comes back, each once. */
export function watchRedis(redis: RedisClient, log: Log): void {
  const missing = ({ error }: RedisState & { up: false }) =>
    log.warn(`Redis does not answer: ${MEANWHILE}`, { error })
  redis.onChange((state) => {
    if (state.up) log.info('Redis answers: limits, cache and sessions are shared')
    else missing(state)
  })
  const timer = setTimeout(() => {
    if (!redis.state.up) missing(redis.state)
  }, FIRST_ANSWER_MS)
  timer.unref()
}

/** How Redis is, for get_gateway_status. */
export function describeRedis(redis: RedisClient | undefined): JsonObject {
  if (!redis) return {}
  const { state } = redis
  if (state.up) return { redis: { state: 'up' } }
  const since = new Date(state.since).toISOString()
  return { redis: { state: 'down', since, error: state.error, meanwhile: MEANWHILE } }
}
