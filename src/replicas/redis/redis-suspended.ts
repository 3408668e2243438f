import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { SuspendedLimits, SuspendedStore } from '../../storage/shared/suspended-scripts.ts'
import type { RedisClient } from './redis-client.ts'

/** Keys that are written together are on one node of a cluster. */
const TAG = '{suspended}'

/**
 * Suspended scripts of replicas that share no database. The image has a key of its own, which whoever
 * takes it deletes in the same step; Redis itself removes what is over.
 */
export function createRedisSuspended(
  client: RedisClient,
  { perOwner, rememberMs }: Pick<SuspendedLimits, 'perOwner' | 'rememberMs'>,
): SuspendedStore {
  const imageKey = (id: string) => client.key(TAG, 'image', id)
  const trailKey = (id: string) => client.key(TAG, 'trail', id)
  const ownKey = (owner: string) => client.key(TAG, 'of', owner)

  async function remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const keys = ids.flatMap((id) => [imageKey(id), trailKey(id)])
    await client.ask(async (redis) => redis.del(...keys))
  }

  return {
    async insert({ id, owner, image, trail, created_at, expires_at }) {
      const ttlMs = expires_at - created_at
      const text = JSON.stringify({ owner, trail, expires_at })
      const stored = await client.ask(async (redis) =>
        redis
          .multi()
          .set(imageKey(id), image ?? '', 'PX', ttlMs)
          .set(trailKey(id), text, 'PX', ttlMs + rememberMs)
          .lpush(ownKey(owner), id)
          .pexpire(ownKey(owner), ttlMs + rememberMs)
          .lrange(ownKey(owner), perOwner, -1)
          .ltrim(ownKey(owner), 0, perOwner - 1)
          .exec(),
      )
      if (!stored) throw new Error('Redis did not answer in time')
      const over = stored.flatMap(([, answer]) => (Array.isArray(answer) ? answer.map(String) : []))
      await remove(over)
    },
    async take(id, owner) {
      const text = await client.ask(async (redis) => redis.get(trailKey(id)))
      const known = typeof text === 'string' ? toKnown(text) : {}
      if (known['owner'] !== owner) return undefined
      const image = (await client.ask(async (redis) => redis.getdel(imageKey(id)))) ?? null
      const isLate = Number(known['expires_at']) <= Date.now()
      return { image, trail: String(known['trail']), resumed_at: isLate ? null : Date.now() }
    },
    remove: async (id) => remove([id]),
    trim: async () => {},
  }
}

function toKnown(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}
